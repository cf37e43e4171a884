using VectorPipe.Model.Errors;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Graph;

/// <content>Checks how a graph is walked and fills in the options that are left open.</content>
internal sealed partial class GraphKind
{
    /// <summary>Reads in flight if their number is fixed.</summary>
    public const int FixedReads = 4;

    private const int MostReads = 16;

    // See docs/decisions.md#a-pool-that-grows.
    private const int PoolSize = 64;

    // Length of the list that stands for a recall of 0.95 in an index that was not calibrated.
    private const int EstimatedListSize = 128;
    private const int LeastEstimated = 64;

    // See docs/decisions.md#filter-plans.
    private const float CellFactor = 1.3f;
    private const float ThoroughCellFactor = 1.6f;
    private const float ThoroughFrom = 0.97f;

    public override GraphPlan Plan(int asked, int k, SearchOptions options, SearchIndex index)
    {
        var tuning = WalkTuning.Of(options);
        GraphSearch? graph = options.Graph;
        Check(k, options, tuning, index);
        float? threshold = graph?.Threshold;
        int? listSize = graph?.ListSize;
        var basis = RecallBasis.Settings;
        if (threshold is null && listSize is null && tuning?.Pages is null)
            (threshold, listSize, basis) = For(options.TargetRecall ?? SearchOptions.DefaultTargetRecall, k, tuning, index);
        bool isFixed = graph?.BeamWidth is not null || threshold is null;
        bool grows = tuning?.Width is { } width ? width is not PolicySource<FixedWidth> : !isFixed;
        return new GraphPlan(
            asked, k, basis,
            PoolSize: tuning?.PoolSize ?? listSize ?? PoolFor(threshold, k),
            Threshold: threshold,
            BeamWidth: graph?.BeamWidth ?? (grows ? MostReads : FixedReads),
            IsWidthFixed: isFixed,
            IsBeam: options.Mode == SearchMode.Beam,
            FollowFactor: tuning?.FollowFactor ?? (listSize is not null ? float.PositiveInfinity : index.Effort.FollowFactor))
        {
            Trace = options.Trace,
            Tuning = tuning,
            GrowsPool = threshold is not null && tuning?.PoolSize is null,
            CellFactor = threshold is { } gain && gain > LeastGainOf(ThoroughFrom, k, index) ? CellFactor : ThoroughCellFactor,
        };
    }

    private static void Check(int k, SearchOptions options, WalkTuning? tuning, SearchIndex index)
    {
        const string uncalibrated =
            "a ListSize or a TargetRecall for an index that was not calibrated; VectorIndex.CalibrateAsync calibrates it";

        // Messages are built only on failure.
        if (options.Ivf is not null)
            throw Require.Violated(nameof(options.Ivf), options.Ivf, "none for an index that is a graph");
        if (k > GraphSearch.MaxListSize)
            throw Require.Violated(nameof(k), k, $"at most {GraphSearch.MaxListSize} results of a walk; SearchMode.Exact finds more");
        if (options.Graph is { } graph)
        {
            if (graph.ListSize is { } size && (size < k || size > GraphSearch.MaxListSize))
                throw Require.Violated(nameof(graph.ListSize), size, $"k ({k}) to {GraphSearch.MaxListSize}");
            if (graph.BeamWidth is < 1 or > GraphSearch.MaxBeamWidth)
                throw Require.Violated(nameof(graph.BeamWidth), graph.BeamWidth, $"1 to {GraphSearch.MaxBeamWidth}");
            if (graph.Threshold is { } threshold && !(threshold > 0 && threshold <= 100))
                throw Require.Violated(nameof(graph.Threshold), threshold, "above 0, at most 100");
            if (graph.Threshold is not null && index.Calibration is null)
                throw Require.Violated(nameof(graph.Threshold), graph.Threshold, uncalibrated);
            if (graph.Threshold is not null && graph.ListSize is not null)
                throw Require.Violated(nameof(graph.ListSize), graph.ListSize, "none beside a threshold");
            if (options.TargetRecall is not null && graph.Threshold is not null)
                throw Require.Violated(nameof(graph.Threshold), graph.Threshold, "none beside a target recall");
            if (options.TargetRecall is not null && graph.ListSize is not null)
                throw Require.Violated(nameof(graph.ListSize), graph.ListSize, "none beside a target recall");
        }

        if (tuning is null)
            return;
        if (tuning.Pages is not null && (options.TargetRecall ?? options.Graph?.Threshold ?? options.Graph?.ListSize) is { } setting)
            throw Require.Violated(
                nameof(tuning.Pages), setting, "no target recall, threshold or list size beside another choice of pages");
        if (tuning.FollowFactor is { } factor && !(factor >= 1))
            throw Require.Violated(nameof(tuning.FollowFactor), factor, "1 or more");
        if (tuning.WalkWidth is { } width and < 1)
            throw Require.Violated(nameof(tuning.WalkWidth), width, "1 or more");
        if (tuning.PoolSize is { } pool && (pool < k || pool > GraphSearch.MaxListSize || options.Graph?.ListSize is not null))
            throw Require.Violated(nameof(tuning.PoolSize), pool, $"k ({k}) to {GraphSearch.MaxListSize}, and no list size");
        if (tuning.BoundFactor is not null)
            throw Require.Violated(nameof(tuning.BoundFactor), tuning.BoundFactor, "none for an index that is a graph");
    }

    /// <summary>The threshold, or the length of the list, that finds a recall.</summary>
    private static (float? Threshold, int? ListSize, RecallBasis Basis) For(float recall, int k, WalkTuning? tuning, SearchIndex index)
    {
        if (index.Calibration is not { Points.Count: > 0 } calibration)
            return (null, tuning?.PoolSize ?? EstimatedFor(recall, k), RecallBasis.Estimated);

        float threshold = LeastGainOf(recall, k, index);
        if (tuning?.FollowFactor is null)
            threshold = index.Effort.Adapt(threshold);
        return (threshold, null, recall <= calibration.MostFound ? RecallBasis.Calibrated : RecallBasis.BeyondCalibration);
    }

    // Of fewer results, a page left out costs a larger share: see docs/decisions.md#threshold-and-k.
    private static float LeastGainOf(float recall, int k, SearchIndex index) =>
        index.Calibration is { Points.Count: > 0 } calibration
            ? calibration.ThresholdFor(recall) * Math.Min(k, Calibration.K) / Calibration.K
            : 0;

    // The share that is missed counts in logarithms: each tenth of it takes about as many more candidates.
    private static int EstimatedFor(float recall, int k)
    {
        double size = EstimatedListSize * Math.Log(1 - recall) / Math.Log(1 - SearchOptions.DefaultTargetRecall);
        return Math.Clamp(Math.Max((int)size, 2 * k), LeastEstimated, GraphSearch.MaxListSize);
    }

    private static int PoolFor(float? threshold, int k)
    {
        int size = threshold is null ? EstimatedListSize : PoolSize;
        return Math.Min(GraphSearch.MaxListSize, Math.Max(size, 4 * k));
    }
}
