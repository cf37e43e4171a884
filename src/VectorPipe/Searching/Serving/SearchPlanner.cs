using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Diagnostics;
using VectorPipe.Model.Errors;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Serving;

/// <summary>Checks options against an index and fills in those that are left open.</summary>
/// <remarks>Thread-safe. Keeps plans, so options that serve many queries are checked once.</remarks>
/// <param name="index">The index, with its final effort.</param>
/// <param name="logger">Receives a warning if a recall does not follow from a calibration; may be null.</param>
internal sealed class SearchPlanner(SearchIndex index, ILogger? logger = null)
{
    private const int KeptPlans = 16;

    // Sixteen reads of a scan, see docs/decisions.md#small-collections.
    private const long MostScannedBytes = 16 << 18;

    private readonly SearchIndex _index = index;
    private readonly ILogger _logger = logger ?? NullLogger.Instance;

    // A longer time has no end.
    private static readonly TimeSpan _longest = TimeSpan.FromDays(365);

    private readonly Entry?[] _entries = new Entry?[KeptPlans];
    private readonly bool _isSmall = IsSmall(index);

    // The index with the calibration that plans follow.
    private SearchIndex _planned = index;
    private int _hasWarned;

    /// <summary>Plans a search for k results.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range, has no effect on this index, or contradicts another
    /// one.</exception>
    /// <param name="k">Results, 1 or more.</param>
    /// <param name="options">The options; null for the defaults.</param>
    /// <param name="count">Vectors, where checkpoints have changed their number; null for those of the index.</param>
    public SearchPlan Plan(int k, SearchOptions? options, long? count = null)
    {
        options ??= SearchOptions.Default;
        int found = (int)Math.Min(k, count ?? _index.Schema.Count);
        SearchIndex planned = Volatile.Read(ref _planned);
        ref Entry? kept = ref _entries[(RuntimeHelpers.GetHashCode(options) + k) & (KeptPlans - 1)];
        if (Volatile.Read(ref kept) is { } entry && entry.K == k && entry.Found == found && ReferenceEquals(entry.Options, options)
            && ReferenceEquals(entry.Planned, planned))
            return entry.Plan;
        SearchPlan plan = Resolve(k, found, options, planned);

        // Traces and tunings belong to one query or measurement: do not keep them alive.
        if (options.Trace is null && options.Tuning is null)
            Volatile.Write(ref kept, new Entry(options, k, found, planned, plan));
        return plan;
    }

    /// <summary>What plans that aim at a recall follow; null without a calibration.</summary>
    public Calibration? Calibration => Volatile.Read(ref _planned).Calibration;

    /// <summary>Plans that aim at a recall follow another calibration from now on; the line of code distances is that of the
    /// index.</summary>
    public void Use(Calibration calibration) => Volatile.Write(ref _planned, _index.With(calibration));

    /// <summary>Checks what can be said without an index.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range, or contradicts another one.</exception>
    public static void Check(int k, SearchOptions options)
    {
        if (k < 1)
            throw Require.Violated(nameof(k), k, "1 or more");
        if (options.TargetRecall is { } recall && !(recall >= 0.5f && recall <= 0.9999f))
            throw Require.Violated(nameof(options.TargetRecall), recall, "0.5 to 0.9999");
        if (options.Mode is not (SearchMode.Pipelined or SearchMode.Beam or SearchMode.Exact))
            throw Require.Violated(nameof(options.Mode), options.Mode, "Pipelined, Beam or Exact");
        if (options.Within is { } within && !float.IsFinite(within))
            throw Require.Violated(nameof(options.Within), within, "a finite score");
        if (options.MaxReads < 1)
            throw Require.Violated(nameof(options.MaxReads), options.MaxReads, "1 or more");
        if (options.Deadline is { } deadline && !(deadline > TimeSpan.Zero && deadline <= _longest))
            throw Require.Violated(nameof(options.Deadline), deadline, "above 0, at most 365 days");
        if (options.Mode != SearchMode.Exact)
            return;
        (string Name, object? Value)[] needless =
        [
            (nameof(options.TargetRecall), options.TargetRecall), (nameof(options.Graph), options.Graph),
            (nameof(options.Ivf), options.Ivf), (nameof(options.MaxReads), options.MaxReads),
            (nameof(options.Trace), options.Trace), (nameof(options.Tuning), options.Tuning),
        ];
        if (Array.Find(needless, option => option.Value is not null) is { Name: { } name } found)
            throw Require.Violated(name, found.Value, "none beside an exact search, which compares every vector");
    }

    /// <summary>The distance of the farthest vector that may be a hit; infinite without a bound.</summary>
    /// <exception cref="ArgumentOutOfRangeException">No vector has such a score.</exception>
    public static float BoundOf(SearchOptions? options, DistanceMetric metric)
    {
        if (options?.Within is not { } within)
            return float.PositiveInfinity;
        if (metric == DistanceMetric.L2 && within < 0)
            throw Require.Violated(nameof(options.Within), within, "0 or more, a squared distance");
        return QueryDistance.FarthestOf(metric, within);
    }

    private SearchPlan Resolve(int k, int found, SearchOptions options, SearchIndex planned)
    {
        Check(k, options);
        return Choose(k, found, options, planned) with
        {
            Bound = BoundOf(options, _index.Schema.Metric),
            MostReads = options.MaxReads ?? int.MaxValue,
            DeadlineTicks = (long?)(options.Deadline?.TotalSeconds * Stopwatch.Frequency),
        };
    }

    private SearchPlan Choose(int k, int found, SearchOptions options, SearchIndex planned)
    {
        if (options.Mode == SearchMode.Exact)
            return new ExactPlan(k, found);

        // Options that say how to walk get a walk.
        bool isFree = options is { Graph: null, Ivf: null, MaxReads: null, Trace: null, Tuning: null, Mode: SearchMode.Pipelined };
        if (isFree && (_isSmall || found > GraphSearch.MaxListSize))
            return new ExactPlan(k, found);
        _index.PrepareWalks();
        SearchPlan plan = planned.Kind.Plan(k, found, options, planned);
        Warn(plan.Basis, options.TargetRecall ?? SearchOptions.DefaultTargetRecall, planned);
        return plan;
    }

    // See docs/decisions.md#small-collections.
    private static bool IsSmall(SearchIndex index)
    {
        long count = index.Schema.Count;
        if (count > index.ExactUpTo)
            return false;
        return (index.Calibration is null && count < Calibration.LeastVectors) || index.ScanBytes <= MostScannedBytes;
    }

    // Once an index: the statistics of every search say it, too.
    private void Warn(RecallBasis basis, float recall, SearchIndex planned)
    {
        if (basis is not (RecallBasis.Estimated or RecallBasis.BeyondCalibration) || Interlocked.Exchange(ref _hasWarned, 1) != 0)
            return;
        if (basis == RecallBasis.Estimated)
            SearchLog.RecallEstimated(_logger, _index.Directory, recall);
        else
            SearchLog.RecallBeyondCalibration(_logger, _index.Directory, recall, planned.Calibration!.MostFound);
    }

    private sealed record Entry(SearchOptions Options, int K, int Found, SearchIndex Planned, SearchPlan Plan);
}
