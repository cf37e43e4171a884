using Microsoft.Extensions.Logging;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>The run threads of an open index. They start with the first request.</summary>
/// <remarks>Thread-safe. Disposal lets posted requests finish.</remarks>
internal sealed class SearchWorkers(SearchIndex index, SearchWorkersOptions options, ILogger logger) : IDisposable
{
    private readonly Lock _lock = new();
    private readonly int _scanShare = Math.Max(1, options.QueriesInFlight / 2);
    private SearchWorker[]? _workers;
    private int _turn;
    private int _waiting;
    private bool _disposed;

    /// <summary>Requests that wait for room on the run threads.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>The sessions of the threads that have begun to serve.</summary>
    public IReadOnlyList<PendingIoSession> Sessions => [.. Workers.Select(worker => worker.Session).OfType<PendingIoSession>()];

    public IReadOnlyList<SearchWorker> Workers => Volatile.Read(ref _workers) ?? [];

    /// <summary>Posts a request to the thread with the least load. After an exception the caller keeps it.</summary>
    /// <param name="request">The request.</param>
    /// <exception cref="ObjectDisposedException">The index is closed.</exception>
    /// <exception cref="SearchOverloadedException">Too many requests wait.</exception>
    public void Post(PendingRequest request)
    {
        if (Volatile.Read(ref _disposed))
            throw Disposed();
        Admit();
        bool isPosted = false;
        try
        {
            isPosted = Choose(Volatile.Read(ref _workers) ?? Start(), request.Kind).TryPost(request);
        }
        finally
        {
            if (!isPosted)
                Leave(1);
        }

        if (!isPosted)
            throw Disposed();
    }

    /// <summary>Notes that requests wait no more: they have begun, or ended.</summary>
    public void Leave(int count) => Interlocked.Add(ref _waiting, -count);

    /// <summary>Posts a request of a thread that cannot serve to another one; false if all back off.</summary>
    public bool TryHandOver(SearchWorker from, PendingRequest request) =>
        LeastBusy(Volatile.Read(ref _workers) ?? [], 0, from) is { } other && other.TryPost(request);

    /// <summary>Refuses new requests, lets posted ones finish, and ends the threads. Idempotent.</summary>
    public void Dispose()
    {
        lock (_lock)
            Volatile.Write(ref _disposed, true);
        foreach (SearchWorker worker in Workers)
            worker.Stop();
        foreach (SearchWorker worker in Workers)
            worker.Dispose();
    }

    private static ObjectDisposedException Disposed() => new("VectorIndex");

    /// <summary>Counts a request that is about to be posted.</summary>
    /// <exception cref="SearchOverloadedException">Too many wait; nothing was counted.</exception>
    private void Admit()
    {
        int waiting = Interlocked.Increment(ref _waiting);
        if (waiting <= options.MaxQueued)
            return;
        Interlocked.Decrement(ref _waiting);
        throw new SearchOverloadedException(options.MaxQueued, waiting - 1);
    }

    private SearchWorker Choose(SearchWorker[] workers, RequestKind kind)
    {
        // One scan serves many searches, so they join a thread that scans, up to a share from which two scans are faster.
        for (int i = 0; kind == RequestKind.Scan && i < workers.Length; i++)
        {
            int scans = workers[i].Scans;
            if (scans > 0 && scans < _scanShare && workers[i].IsReady)
                return workers[i];
        }

        int start = (int)((uint)Interlocked.Increment(ref _turn) % (uint)workers.Length);
        return LeastBusy(workers, start, except: null) ?? workers[start];
    }

    /// <summary>The thread with the least load of those that do not back off; null if all do.</summary>
    private static SearchWorker? LeastBusy(SearchWorker[] workers, int start, SearchWorker? except)
    {
        SearchWorker? best = null;
        int least = int.MaxValue;
        for (int i = 0; i < workers.Length && least > 0; i++)
        {
            SearchWorker worker = workers[(start + i) % workers.Length];
            int load = worker.Load;
            if (load >= least || worker == except || !worker.IsReady)
                continue;
            best = worker;
            least = load;
        }

        return best;
    }

    private SearchWorker[] Start()
    {
        lock (_lock)
        {
            if (_disposed)
                throw Disposed();
            if (_workers is not null)
                return _workers;
            var workers = new List<SearchWorker>(options.Threads);
            try
            {
                while (workers.Count < options.Threads)
                    workers.Add(new SearchWorker(index, workers.Count, options, this, logger));
            }
            catch
            {
                // A later request tries again, so end the threads that have started.
                foreach (SearchWorker worker in workers)
                    worker.Dispose();
                throw;
            }

            SearchWorker[] started = [.. workers];
            Volatile.Write(ref _workers, started);
            return started;
        }
    }
}
