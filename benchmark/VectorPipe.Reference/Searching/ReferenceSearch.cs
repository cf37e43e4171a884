using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>The options of a graph search, with the library's policies and those of the comparison by name. Immutable.</summary>
public sealed record ReferenceSearch
{
    private const int DefaultListSize = 50;
    private const float DefaultGain = 0.1f;
    private const float DefaultRatio = 0.9f;
    private const float DefaultPatience = 5;
    private const int FixedReads = 4;
    private const int GrowingReads = 16;

    /// <summary>The page policy. Default: list if only a list size is given, else gain.</summary>
    public SearchPolicy? Policy { get; init; }

    /// <summary>List size; the policy list visits all candidates. Default: 50 for the policy list, else the library's.</summary>
    public int? ListSize { get; init; }

    /// <summary>Least gain (default 0.1), ratio (default 0.9), or pages without a result (relaxed; default 5).</summary>
    public float? Threshold { get; init; }

    /// <summary>Target recall, instead of a threshold for gain.</summary>
    public float? TargetRecall { get; init; }

    /// <summary>Most reads of a query in flight. Default: 4 with a fixed width, else 16.</summary>
    public int? BeamWidth { get; init; }

    /// <summary>The width policy. Default: remaining for gain without a beam width, else fixed.</summary>
    public SearchWidth? Width { get; init; }

    /// <summary>Follow factor; null for the library's default.</summary>
    public float? FollowFactor { get; init; }

    /// <summary>The search mode.</summary>
    public SearchMode Mode { get; init; } = SearchMode.Pipelined;

    /// <summary>Receives the query's events; null for none.</summary>
    public SearchTrace? Trace { get; init; }

    /// <summary>More entry points; null for none.</summary>
    internal RecentResults? Recent { get; init; }

    /// <summary>Plain layout: whether to compute exact distances after issuing the next reads; null for the policy's choice.</summary>
    internal bool? ResultsLate { get; init; }

    /// <summary>The policy, after defaults.</summary>
    public SearchPolicy EffectivePolicy =>
        Policy ?? (ListSize is not null && Threshold is null && TargetRecall is null ? SearchPolicy.List : SearchPolicy.Gain);

    /// <summary>The width, after defaults.</summary>
    public SearchWidth EffectiveWidth =>
        Width ?? (EffectivePolicy == SearchPolicy.Gain && BeamWidth is null ? SearchWidth.Remaining : SearchWidth.Fixed);

    /// <summary>The most reads in flight, after defaults.</summary>
    public int EffectiveBeamWidth => BeamWidth ?? (EffectiveWidth == SearchWidth.Fixed ? FixedReads : GrowingReads);

    /// <summary>The value of the policy's knob.</summary>
    public float Knob => EffectivePolicy switch
    {
        SearchPolicy.List => ListSize ?? DefaultListSize,
        SearchPolicy.Gain => Threshold ?? DefaultGain,
        SearchPolicy.Ratio => Threshold ?? DefaultRatio,
        _ => Threshold ?? DefaultPatience,
    };

    /// <summary>The equivalent options of the library.</summary>
    public static implicit operator SearchOptions(ReferenceSearch search) => search.ToOptions();

    /// <summary>The equivalent options of the library.</summary>
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
