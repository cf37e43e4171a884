using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>How a graph is walked, in terms that name the library's policies and those that they are compared with. Immutable.</summary>
public sealed record ReferenceSearch
{
    private const int DefaultListSize = 50;
    private const float DefaultGain = 0.1f;
    private const float DefaultRatio = 0.9f;
    private const float DefaultPatience = 5;
    private const int FixedReads = 4;
    private const int GrowingReads = 16;

    /// <summary>Which pages are read, and when a search ends. Default: by list if only a list size is given; else by gain.</summary>
    public SearchPolicy? Policy { get; init; }

    /// <summary>Candidates that are kept; by list all of them are visited. Default: 50 by list; else as many as the library
    /// keeps.</summary>
    public int? ListSize { get; init; }

    /// <summary>What ends a search: results that a page must promise (gain; default 0.1), a ratio (default 0.9), or pages without a
    /// result (relaxed; default 5).</summary>
    public float? Threshold { get; init; }

    /// <summary>Recall to aim at, in the place of a threshold of gain.</summary>
    public float? TargetRecall { get; init; }

    /// <summary>Most reads of a query in flight. Default: 4 with a fixed width, else 16.</summary>
    public int? BeamWidth { get; init; }

    /// <summary>How many of them at which time. Default: remaining by gain if no beam width is given, else fixed.</summary>
    public SearchWidth? Width { get; init; }

    /// <summary>How far links of nodes are followed; null for the library's own.</summary>
    public float? FollowFactor { get; init; }

    /// <summary>How reads overlap computation.</summary>
    public SearchMode Mode { get; init; } = SearchMode.Pipelined;

    /// <summary>Receives the query's events; null for none.</summary>
    public SearchTrace? Trace { get; init; }

    /// <summary>Where the latest queries ended, at which the next ones enter, too; null for none.</summary>
    internal RecentResults? Recent { get; init; }

    /// <summary>Plain layout: whether exact distances are computed only after the next reads were issued; null for the policy to
    /// say.</summary>
    internal bool? ResultsLate { get; init; }

    /// <summary>The policy that applies.</summary>
    public SearchPolicy EffectivePolicy =>
        Policy ?? (ListSize is not null && Threshold is null && TargetRecall is null ? SearchPolicy.List : SearchPolicy.Gain);

    /// <summary>The width that applies.</summary>
    public SearchWidth EffectiveWidth =>
        Width ?? (EffectivePolicy == SearchPolicy.Gain && BeamWidth is null ? SearchWidth.Remaining : SearchWidth.Fixed);

    /// <summary>The most reads in flight that apply.</summary>
    public int EffectiveBeamWidth => BeamWidth ?? (EffectiveWidth == SearchWidth.Fixed ? FixedReads : GrowingReads);

    /// <summary>The value of the policy's knob.</summary>
    public float Knob => EffectivePolicy switch
    {
        SearchPolicy.List => ListSize ?? DefaultListSize,
        SearchPolicy.Gain => Threshold ?? DefaultGain,
        SearchPolicy.Ratio => Threshold ?? DefaultRatio,
        _ => Threshold ?? DefaultPatience,
    };

    /// <summary>The options of the library that say so.</summary>
    public static implicit operator SearchOptions(ReferenceSearch search) => search.ToOptions();

    /// <summary>The options of the library that say so.</summary>
    public SearchOptions ToOptions()
    {
        bool isList = EffectivePolicy == SearchPolicy.List, isGain = EffectivePolicy == SearchPolicy.Gain;
        var tuning = new WalkTuning
        {
            Pages = EffectivePolicy switch
            {
                SearchPolicy.Ratio => new RatioSource(Knob),
                SearchPolicy.Relaxed => new RelaxedSource(Knob),
                _ => null,
            },
            Width = Width switch
            {
                SearchWidth.Fixed => new PolicySource<FixedWidth>(),
                SearchWidth.Adaptive => new PolicySource<AdaptiveWidth>(),
                SearchWidth.Position => new PolicySource<PositionWidth>(),
                SearchWidth.Remaining => new PolicySource<RemainingWidth>(),
                _ => null,
            },
            Entries = Recent,
            FollowFactor = FollowFactor,
            PoolSize = isList ? null : ListSize,
            ResultsLate = ResultsLate,
        };
        return new SearchOptions
        {
            TargetRecall = TargetRecall,
            Mode = Mode,
            Graph = new GraphSearch
            {
                ListSize = isList ? (int)Knob : null,
                Threshold = isGain && TargetRecall is null ? Knob : null,
                BeamWidth = BeamWidth,
            },
            Trace = Trace,
            Tuning = tuning == new WalkTuning() ? null : tuning,
        };
    }
}
