using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Searching.Calibrating;

/// <summary>An index whose searches take a millisecond each, one of which may fail.</summary>
internal sealed class WatchedTarget(ICalibrationTarget inner, ManualTime time) : ICalibrationTarget
{
    /// <summary>What a search takes.</summary>
    public static readonly TimeSpan Search = TimeSpan.FromMilliseconds(1);

    private int _searches;
    private int _exact;

    public int Searches => Volatile.Read(ref _searches);

    /// <summary>Queries of a round.</summary>
    public required int Queries { get; init; }

    /// <summary>Rounds that have begun: each has an exact search for each query.</summary>
    public int Rounds => (Volatile.Read(ref _exact) + Queries - 1) / Queries;

    public int Used { get; private set; }

    /// <summary>Whether it has no record any more.</summary>
    public bool IsEmpty { get; set; }

    public Func<Exception> Fault { get; set; } = static () => new DeviceException();

    /// <summary>The search that fails, once.</summary>
    public int FailsAt { get; set; } = int.MaxValue;

    /// <summary>The search with which another index takes the place.</summary>
    public int ReplacedAt { get; set; } = int.MaxValue;

    /// <summary>The search that ends only when it is cancelled.</summary>
    public int StopsAt { get; set; } = int.MaxValue;

    public SemaphoreSlim? Stopped { get; set; }

    /// <summary>What is there instead of the index.</summary>
    public SearchIndex? Replacement { get; set; }

    public string Directory => inner.Directory;

    public DistanceMetric Metric => inner.Metric;

    public SearchIndex? Index => Replacement ?? inner.Index;

    public async ValueTask<(SearchHit[] Hits, SearchStatistics Cost)> SearchAsync(
        byte[] query, int k, SearchOptions options, CancellationToken cancellationToken)
    {
        time.Advance(Search);
        if (options.Mode == SearchMode.Exact)
            Interlocked.Increment(ref _exact);
        int number = Interlocked.Increment(ref _searches);
        if (number == FailsAt)
            throw Fault();
        if (number == ReplacedAt)
            Replacement = inner.Index!.With(null);
        if (number == StopsAt)
        {
            Stopped!.Release();
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }

        return IsEmpty ? ([], default) : await inner.SearchAsync(query, k, options, cancellationToken);
    }

    public bool Use(SearchIndex index, Calibration calibration)
    {
        if (index != Index)
            return false;
        Used++;
        return inner.Use(index, calibration);
    }
}
