using VectorPipe.Model.Search;
using VectorPipe.Searching.State;

namespace VectorPipe.Searching.Requests;

/// <summary>Settings of a search for calibration, benchmarks and tests. Immutable.</summary>
internal sealed record WalkTuning : SearchTuning
{
    /// <summary>Graph: another choice of pages than by a threshold or a list size, which are then refused.</summary>
    public IPolicySource<IPagePolicy>? Pages { get; init; }

    /// <summary>Graph: another number of reads in flight than the default.</summary>
    public IPolicySource<IWidthPolicy>? Width { get; init; }

    /// <summary>Graph: more entry points; null for none. The thread that searches calls it.</summary>
    public IEntrySource? Entries { get; init; }

    /// <summary>Merged layout: the follow factor, 1 or more; null for that of the index's effort, or none beside a list size.</summary>
    public float? FollowFactor { get; init; }

    /// <summary>Merged layout: best candidates whose pages are walked in memory before a read, 1 or more; null for those of the index's
    /// effort.</summary>
    public int? WalkWidth { get; init; }

    /// <summary>Graph: length of the candidate pool; null for one that follows from k and the threshold. Not beside a list size.</summary>
    public int? PoolSize { get; init; }

    /// <summary>Index of lists: a list is passed over if the least distance of its vectors, times this, lies beyond the end of the
    /// answer. At 1 next to nothing is lost. Default: 1.5.</summary>
    public float? BoundFactor { get; init; }

    /// <summary>Plain layout: whether exact distances are computed after the next reads were issued; null: as the choice of pages
    /// needs them.</summary>
    public bool? ResultsLate { get; init; }

    /// <summary>Graph: receives the best candidates of every search at its end; null for none.</summary>
    public CandidateProbe? Probe { get; init; }

    /// <summary>Merged layout: the pages to search; null for those of the request.</summary>
    public GraphChanges? Changes { get; init; }

    /// <summary>Merged layout: receives the nodes that every search has met; null for none.</summary>
    public INeighbourSink? Neighbours { get; init; }

    /// <summary>The tuning of options; null if they have none.</summary>
    public static WalkTuning? Of(SearchOptions options) => (WalkTuning?)options.Tuning;
}
