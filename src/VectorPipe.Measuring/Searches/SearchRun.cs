using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Measuring.Searches;

/// <summary>Searches for all queries on several threads, and measures the costs. Not thread-safe.</summary>
internal sealed class SearchRun<T>
    where T : unmanaged
{
    private readonly Func<SearchSession> _openSession;
    private readonly ISearchObserver? _observer;
    private readonly double? _rate;
    private readonly T[] _queries;
    private readonly int _dimension;
    private readonly int _k;
    private readonly int _threads;
    private readonly SearchHit[] _hits;
    private readonly SearchStatistics[] _statistics;

    /// <param name="openSession">Opens the session of a thread, on that thread.</param>
    /// <param name="threads">Threads; no more run than there are queries.</param>
    /// <param name="rate">Queries per second of all threads together; null for no pace.</param>
    public SearchRun(
        Func<SearchSession> openSession, VectorMatrix queries, int k, int threads, ISearchObserver? observer = null, double? rate = null)
    {
        UsageException.Require((long)queries.Count * k <= Array.MaxLength / 4, "-k", k,
            $"at most {Array.MaxLength / 4 / queries.Count}, for {queries.Count} queries");
        _openSession = openSession;
        _observer = observer;
        _rate = rate;
        _queries = MemoryMarshal.Cast<byte, T>(queries.Bytes).ToArray();
        _dimension = queries.Dimension;
        _k = k;
        _threads = Math.Min(threads, queries.Count);
        _hits = new SearchHit[queries.Count * k];
        _statistics = new SearchStatistics[queries.Count];
    }

    /// <summary>Writes the trace of a search for the first query.</summary>
    public void Trace(SearchOptions options, Stream output, CancellationToken cancellationToken)
    {
        var trace = new SearchTrace();
        using SearchSession session = _openSession();
        ReadOnlySpan<T> query = _queries.AsSpan(0, _dimension);
        // The first search includes compilation, so trace the second.
        session.Search(query, _k, _hits.AsSpan(0, _k), options, cancellationToken);
        session.Search(query, _k, _hits.AsSpan(0, _k), options with { Trace = trace }, cancellationToken);
        trace.WriteChromeTrace(output);
    }

    /// <summary>Searches for all queries after a warm-up. The result is valid until the next measurement.</summary>
    public SearchMeasurement Measure(SearchOptions options, CancellationToken cancellationToken)
    {
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);

        // Every thread and this one meet four times: warm, at the start, at the end, and after everything is counted.
        using var gate = new Barrier(_threads + 1);
        var workers = new SearchWorker<T>[_threads];
        for (int i = 0; i < _threads; i++)
        {
            int thread = i;
            Func<long, Pacing>? pace = _rate is { } rate ? start => new Pacing(rate, thread, _threads, start) : null;
            workers[i] = new SearchWorker<T>(_openSession, gate, ShareOf(i), options, pace, _observer, cancellation);
        }

        foreach (SearchWorker<T> worker in workers)
            worker.Start();

        gate.SignalAndWait(CancellationToken.None);
        _observer?.OnStarting();
        TimeSpan cpuBefore = Environment.CpuUsage.TotalTime;
        int collectionsBefore = GC.CollectionCount(0);
        long allocatedBefore = GC.GetTotalAllocatedBytes(precise: true);
        long start = Stopwatch.GetTimestamp();
        gate.SignalAndWait(CancellationToken.None);
        gate.SignalAndWait(CancellationToken.None);
        long allocated = GC.GetTotalAllocatedBytes(precise: true) - allocatedBefore;
        int collections = GC.CollectionCount(0) - collectionsBefore;
        TimeSpan cpu = Environment.CpuUsage.TotalTime - cpuBefore;
        _observer?.OnFinished();
        gate.SignalAndWait(CancellationToken.None);
        foreach (SearchWorker<T> worker in workers)
            worker.Join();

        ThrowFirstError(workers, cancellationToken);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start, workers.Max(worker => worker.FinishedAt));
        return new SearchMeasurement(
            _hits, _statistics, _threads, elapsed.TotalSeconds, cpu.TotalSeconds, allocated, collections,
            _observer is null ? null : workers.Aggregate(default(SessionCounts), (sum, worker) => sum + worker.Counts));
    }

    private SearchShare<T> ShareOf(int thread)
    {
        int from = (int)((long)_statistics.Length * thread / _threads);
        int count = (int)((long)_statistics.Length * (thread + 1) / _threads) - from;
        return new SearchShare<T>(
            _queries.AsMemory(from * _dimension, count * _dimension), _dimension, _k, _hits.AsMemory(from * _k, count * _k),
            _statistics.AsMemory(from, count));
    }

    // Prefers the error that stopped the other threads to their cancellations.
    private static void ThrowFirstError(SearchWorker<T>[] workers, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        workers.FirstOrDefault(worker => worker.Error is { SourceException: not OperationCanceledException })?.Error!.Throw();
        workers.FirstOrDefault(worker => worker.Error is not null)?.Error!.Throw();
    }
}
