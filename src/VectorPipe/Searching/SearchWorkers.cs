using Microsoft.Extensions.Logging;
using VectorPipe.Pipeline;

namespace VectorPipe.Searching;

/// <summary>The run threads of an open index. They start with the first request.</summary>
/// <remarks>Thread-safe. Disposal lets what was posted finish.</remarks>
internal sealed class SearchWorkers : IDisposable
{
    private readonly SearchIndex _index;
    private readonly int _threads;
    private readonly int _queriesInFlight;
    private readonly ILogger _logger;
    private readonly Lock _lock = new();
    private SearchWorker[]? _workers;
    private int _posting;
    private int _turn;
    private bool _disposed;

    public SearchWorkers(SearchIndex index, int threads, int queriesInFlight, ILogger logger)
    {
        _index = index;
        _threads = threads;
        _queriesInFlight = queriesInFlight;
        _logger = logger;
    }

    /// <summary>The reads of the threads that have begun to serve.</summary>
    public IReadOnlyList<PendingIoSession> Sessions => [.. (Volatile.Read(ref _workers) ?? []).Select(worker => worker.Session).OfType<PendingIoSession>()];

    /// <summary>Hands a request to the thread with the least to do.</summary>
    /// <exception cref="ObjectDisposedException">The index is closed; the request stays the caller's.</exception>
    public void Post(PendingRequest request)
    {
        // Disposal waits for posts under way, so no request can reach a worker that has ended.
        Interlocked.Increment(ref _posting);
        try
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
            LeastBusy().Post(request);
        }
        finally
        {
            Interlocked.Decrement(ref _posting);
        }
    }

    /// <summary>Refuses new requests, lets accepted ones finish, and ends the threads. Idempotent.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_disposed)
                return;
            Volatile.Write(ref _disposed, true);
        }

        Interlocked.MemoryBarrier();
        SpinWait.SpinUntil(() => Volatile.Read(ref _posting) == 0);
        SearchWorker[] workers = _workers ?? [];
        foreach (SearchWorker worker in workers)
            worker.Stop();
        foreach (SearchWorker worker in workers)
            worker.Dispose();
    }

    private SearchWorker LeastBusy()
    {
        SearchWorker[] workers = Volatile.Read(ref _workers) ?? Start();
        int start = (int)((uint)Interlocked.Increment(ref _turn) % (uint)workers.Length);
        SearchWorker best = workers[start];
        for (int i = 1; i < workers.Length && best.Load > 0; i++)
        {
            SearchWorker other = workers[(start + i) % workers.Length];
            if (other.Load < best.Load)
                best = other;
        }

        return best;
    }

    private SearchWorker[] Start()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_workers is not null)
                return _workers;
            var workers = new SearchWorker[_threads];
            for (int i = 0; i < workers.Length; i++)
                workers[i] = new SearchWorker(_index, i, _queriesInFlight, _logger);
            Volatile.Write(ref _workers, workers);
            return workers;
        }
    }
}
