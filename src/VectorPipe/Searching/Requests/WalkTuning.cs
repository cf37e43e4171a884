using VectorPipe.Model.Search;

namespace VectorPipe.Searching.Requests;

/// <summary>Settings of a search beyond those that a program needs, for benchmarks, calibrations and tests. Immutable.</summary>
internal sealed record WalkTuning : SearchTuning
{
    /// <summary>Graph: another choice of pages than that of a threshold or a list size, both of which are then refused.</summary>
    public IPolicySource<IPagePolicy>? Pages { get; init; }

    /// <summary>Graph: another number of reads in flight than the default for the choice of pages.</summary>
    public IPolicySource<IWidthPolicy>? Width { get; init; }

    /// <summary>Graph: more nodes at which the search enters; null for none. It is called by the thread that searches.</summary>
    public IEntrySource? Entries { get; init; }

    /// <summary>Merged layout: links of a node are followed up to so many times the distance at which the answer will end, 1 or more;
    /// null for the index's effort, without a bound for a list.</summary>
    public float? FollowFactor { get; init; }

    /// <summary>Graph: candidates that are kept; null for a number that follows from k and the threshold. A list size says it
    /// itself.</summary>
    public int? PoolSize { get; init; }

    /// <summary>Index of lists: a list is passed over if the least distance of its vectors, times this, lies beyond the end of the
    /// answer; at 1 next to nothing is lost. Default: 1.5.</summary>
    public float? BoundFactor { get; init; }

    /// <summary>Plain layout: whether exact distances are computed only after the next reads were issued; null if the choice of pages is
    /// to say.</summary>
    public bool? ResultsLate { get; init; }

    /// <summary>Graph: receives the candidates of every search at its end; null for none.</summary>
    public ICandidateProbe? Probe { get; init; }

    /// <summary>The tuning of options; null if they have none.</summary>
    public static WalkTuning? Of(SearchOptions options) => (WalkTuning?)options.Tuning;
}
