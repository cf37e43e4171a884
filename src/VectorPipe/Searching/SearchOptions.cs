using VectorPipe.Diagnostics;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <summary>How a query is searched. Immutable; one instance may serve any number of queries and threads.</summary>
public sealed partial record SearchOptions
{
    private const int DefaultListSize = 50;
    private const int DefaultPoolSize = 128;

    // A search by gain that ends this early finds as much with half of the pool, by a little fewer reads and a tenth less processor time. Photo-SIFT 1M, beam, pools of 128 and 64: threshold 0.36
    // 0.9422 by 9.4 reads and 0.9418 by 9.3; 0.057 0.9879 by 15.9, 0.9878 by 15.7; 0.004 0.9968 by 27.2, 0.9964 by 25.1; 0.0015 0.9977 by 31.5, but 0.9970 by 27.6. Text embeddings: the same to the fourth digit.
    private const int EarlyPoolSize = 64;
    private const float EarlyThreshold = 0.004f;
    private const float DefaultRatio = 0.9f;
    private const float DefaultGain = 0.1f;
    private const float DefaultPatience = 5;
    internal const int DefaultFixedWidth = 4;
    private const int DefaultGrowingWidth = 16;
    private const int MaxListSize = 65_536;

    /// <summary>Most reads that a query may have in flight.</summary>
    internal const int MaxBeamWidth = 256;

    /// <summary>The defaults.</summary>
    public static SearchOptions Default { get; } = new();

    /// <summary>Which pages are read, and when the search ends. Default: by list if a <see cref="ListSize"/> is given and no <see cref="Threshold"/>, or if the index was not calibrated; else by gain.</summary>
    public SearchPolicy? Policy { get; init; }

    /// <summary>
    /// L: how many candidates, ranked by compressed codes, are kept; at least k, up to 65,536. With <see cref="SearchPolicy.List"/> all are visited: more means higher recall, and about as
    /// many more reads. Default: 50, or k if that is more; with the other policies, whose searches end before, 128 (64 with <see cref="SearchPolicy.Gain"/> and a threshold of 0.004 or more), or 4 k if that is more.
    /// </summary>
    public int? ListSize { get; init; }

    /// <summary>
    /// What ends a search. <see cref="SearchPolicy.Gain"/>: results that a page must promise to be read, above 0; less means higher recall and more reads. <see cref="SearchPolicy.Ratio"/>: how
    /// much farther than the end of the answer a candidate may look, as a ratio above 0; less means higher recall and more reads. <see cref="SearchPolicy.Relaxed"/>: pages that may bring nothing one after another, above 0; more
    /// means higher recall and more reads. Default: 0.1, 0.9 and 5.
    /// </summary>
    public float? Threshold { get; init; }

    /// <summary>W: most reads of one query in flight at once, 1 to 256. Default: 4 if the <see cref="Width"/> is fixed, else 16.</summary>
    public int? BeamWidth { get; init; }

    /// <summary>How many of them at which time. Default: <see cref="SearchWidth.Remaining"/> with the policy <see cref="SearchPolicy.Gain"/>, unless a <see cref="BeamWidth"/> is named; else fixed.</summary>
    public SearchWidth? Width { get; init; }

    /// <summary>How reads overlap computation. Default: pipelined.</summary>
    public SearchMode Mode { get; init; } = SearchMode.Pipelined;

    /// <summary>
    /// Recall to aim at, 0.5 to 0.9999: the search goes by gain, with the threshold at which searches of the index's calibration found as much. Takes the place of
    /// <see cref="Threshold"/>. An index of lists scans as many lists as it took there, in the place of <see cref="Probes"/>. Default: null.
    /// </summary>
    public float? TargetRecall { get; init; }

    /// <summary>
    /// Merged layout: the links of a node are followed if its distance is at most so many times the distance at which the answer will end; 1 or more. Less saves processor time, more saves reads. Default: 1.3 or 1.6,
    /// by what a read costs (<see cref="OpenOptions.ReadCostUs"/>), 1.3 if that is not known; no bound with <see cref="SearchPolicy.List"/>.
    /// </summary>
    public float? FollowFactor { get; init; }

    /// <summary>
    /// Enters where the latest queries of the same <see cref="SearchSession"/> ended, too: saves work if queries come near recent ones. What a query costs, and in rare cases what it finds, then depends on the
    /// queries before it. Only sessions take it, and each keeps its own results, so that no caller can tell what another one asked for. Default: false.
    /// </summary>
    public bool EnterAtRecentResults { get; init; }

    /// <summary>Receives the query's events; null (default) costs nothing. A trace serves one query at a time.</summary>
    public SearchTrace? Trace { get; init; }

    /// <summary>Plain layout: whether exact distances are computed only after the next reads were issued; null for the policy to say.</summary>
    internal bool? ResultsLate { get; init; }

    /// <summary>Told of the candidates of every search at its end; null for none.</summary>
    internal ICandidateProbe? Probe { get; init; }

    /// <summary><see cref="Width"/>, by default if none is named, with a policy.</summary>
    internal SearchWidth WidthWith(SearchPolicy policy) => Width ?? (policy == SearchPolicy.Gain && BeamWidth is null ? SearchWidth.Remaining : SearchWidth.Fixed);

    /// <summary><see cref="BeamWidth"/>, by default if none is named, with a policy.</summary>
    internal int MostReadsWith(SearchPolicy policy) => BeamWidth ?? (WidthWith(policy) == SearchWidth.Fixed ? DefaultFixedWidth : DefaultGrowingWidth);

    /// <summary>The options with everything filled in.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    internal SearchPlan Resolve(int k, SearchIndex index)
    {
        if (Mode == SearchMode.Exact)
            return ResolveExact(k, index);
        if (index.Schema.Lists is { } lists)
            return ResolveLists(k, index, lists);
        if (Probes is not null)
            throw Require.Violated(nameof(Probes), Probes, "none for an index that is a graph");

        // Checked for every query: words are put together only for an error.
        SearchPolicy policy = Policy ?? (TargetRecall is not null ? SearchPolicy.Gain : index.Calibration is null || (ListSize is not null && Threshold is null) ? SearchPolicy.List : SearchPolicy.Gain);
        if (k < 1 || k > index.Schema.Count)
            throw Require.Violated(nameof(k), k, $"1 to {index.Schema.Count}, the number of vectors in the index");
        if (ListSize is { } size ? size < k || size > MaxListSize : k > MaxListSize)
            throw Require.Violated(nameof(ListSize), ListSize ?? MaxListSize, $"k ({k}) to {MaxListSize}");
        if (Width is not (null or SearchWidth.Fixed or SearchWidth.Adaptive or SearchWidth.Position or SearchWidth.Remaining))
            throw Require.Violated(nameof(Width), Width, "Fixed, Adaptive, Position or Remaining");
        if (BeamWidth is < 1 or > MaxBeamWidth)
            throw Require.Violated(nameof(BeamWidth), BeamWidth, $"1 to {MaxBeamWidth}");
        if (Mode is not (SearchMode.Pipelined or SearchMode.Beam))
            throw Require.Violated(nameof(Mode), Mode, "Pipelined, Beam or Exact");
        if (policy is not (SearchPolicy.List or SearchPolicy.Ratio or SearchPolicy.Gain or SearchPolicy.Relaxed))
            throw Require.Violated(nameof(Policy), policy, "List, Ratio, Gain or Relaxed");
        if (policy == SearchPolicy.Gain && index.Calibration is null)
            throw Require.Violated(nameof(Policy), policy, "List, Ratio or Relaxed, for an index that was not calibrated");
        float followFactor = FollowFactor ?? (policy == SearchPolicy.List ? float.PositiveInfinity : index.Effort.FollowFactor);
        if (!(followFactor >= 1))
            throw Require.Violated(nameof(FollowFactor), FollowFactor, "1 or more");
        if (TargetRecall is { } recall)
            return Resolve(recall, k, index, followFactor);
        float threshold = Threshold ?? policy switch
        {
            SearchPolicy.Ratio => DefaultRatio,
            SearchPolicy.Relaxed => DefaultPatience,
            _ => FollowFactor is null ? index.Effort.Adapt(DefaultGain) : DefaultGain,
        };
        if (!(threshold > 0 && threshold <= 100))
            throw Require.Violated(nameof(Threshold), threshold, "above 0, at most 100");
        return new SearchPlan(ListSizeFor(policy, threshold, k), MostReadsWith(policy), WidthWith(policy), Mode, policy, threshold, followFactor, EnterAtRecentResults, ResultsLate, Trace, Probe);
    }

    private int ListSizeFor(SearchPolicy policy, float threshold, int k) => ListSize ?? policy switch
    {
        SearchPolicy.List => Math.Max(DefaultListSize, k),
        SearchPolicy.Gain when threshold >= EarlyThreshold => Math.Min(MaxListSize, Math.Max(EarlyPoolSize, 4 * k)),
        _ => Math.Min(MaxListSize, Math.Max(DefaultPoolSize, 4 * k)),
    };

    private SearchPlan ResolveExact(int k, SearchIndex index)
    {
        if (k < 1 || k > index.Schema.Count)
            throw Require.Violated(nameof(k), k, $"1 to {index.Schema.Count}, the number of vectors in the index");
        if (Policy is not null || ListSize is not null || Threshold is not null || TargetRecall is not null || FollowFactor is not null)
            throw Require.Violated(nameof(Mode), Mode, "no policy, list size, threshold, target recall or follow factor beside an exact search, which compares every vector");
        if (Trace is not null)
            throw Require.Violated(nameof(Trace), Trace, "none beside an exact search, which has no walk to trace");
        if (EnterAtRecentResults)
            throw Require.Violated(nameof(EnterAtRecentResults), true, "false beside an exact search, which enters nowhere");
        return new SearchPlan(k, MostReadsWith(SearchPolicy.List), WidthWith(SearchPolicy.List), Mode, SearchPolicy.List, 1, 1, false, null, null, null);
    }

    private SearchPlan Resolve(float recall, int k, SearchIndex index, float followFactor)
    {
        if (!(recall >= 0.5f && recall <= 0.9999f))
            throw Require.Violated(nameof(TargetRecall), recall, "0.5 to 0.9999");
        if (Threshold is not null)
            throw Require.Violated(nameof(Threshold), Threshold, "none, beside a target recall");
        if (Policy is not (null or SearchPolicy.Gain))
            throw Require.Violated(nameof(Policy), Policy, "Gain, with a target recall");

        // A page that is left out costs a share of the answer: of fewer results a larger one. Of more results a smaller one, but then more pages are left out, about in proportion
        // (photo-SIFT 100K, k = 100: thresholds of k = 10 find 0.975 and 0.992 where the table says 0.970 and 0.992).
        float threshold = index.Calibration!.ThresholdFor(recall) * Math.Min(k, Calibration.K) / Calibration.K;
        if (FollowFactor is null)
            threshold = index.Effort.Adapt(threshold);
        return new SearchPlan(ListSizeFor(SearchPolicy.Gain, threshold, k), MostReadsWith(SearchPolicy.Gain), WidthWith(SearchPolicy.Gain), Mode, SearchPolicy.Gain, threshold, followFactor, EnterAtRecentResults, ResultsLate, Trace, Probe);
    }
}
