using System.Threading.Tasks.Sources;
using VectorPipe.Searching;

namespace VectorPipe;

/// <summary>A pooled query that can be awaited: request, completion source, thread-pool work item and result in one object.</summary>
/// <remarks>
/// Rented from its index, awaited once, and given back by the disposal of its result, or at once if the query failed. The run thread
/// only queues it to the thread pool, so no user code ever runs on a run thread; being its own work item, that allocates nothing.
/// </remarks>
internal sealed class AsyncSearchRequest : SearchRequest, IValueTaskSource<SearchResult>, IThreadPoolWorkItem
{
    private readonly RequestPool<AsyncSearchRequest> _pool;
    private ManualResetValueTaskSourceCore<SearchResult> _source;
    private int _rented;

    public AsyncSearchRequest(RequestPool<AsyncSearchRequest> pool) => _pool = pool;

    /// <summary>Changes with every use: a result of an earlier use is known by it.</summary>
    public short Version => _source.Version;

    /// <summary>What the caller awaits.</summary>
    public ValueTask<SearchResult> Task => new(this, _source.Version);

    /// <summary>Marks the request as in use.</summary>
    public void Rent() => Volatile.Write(ref _rented, 1);

    /// <summary>Gives the request back to its pool, once a use.</summary>
    public void Return(short version)
    {
        if (version != _source.Version || Interlocked.Exchange(ref _rented, 0) == 0)
            return;
        _source.Reset();
        _pool.Return(this);
    }

    /// <inheritdoc/>
    public SearchResult GetResult(short token)
    {
        try
        {
            return _source.GetResult(token);
        }
        catch
        {
            // There is no result to dispose, so the request goes back now.
            Return(token);
            throw;
        }
    }

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    /// <inheritdoc/>
    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    /// <inheritdoc/>
    public void Execute()
    {
        if (Error is { } error)
            _source.SetException(error);
        else
            _source.SetResult(new SearchResult(this, _source.Version));
    }

    /// <inheritdoc/>
    protected override void OnCompleted() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
}
