using System.Diagnostics;
using System.Threading.Tasks.Sources;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>A pooled request that can be awaited: completion, value-task source and thread-pool work item in one object.</summary>
/// <remarks>
/// Rented, awaited once, and returned to the pool when the caller takes the result. The run thread only queues it to the thread pool, so no
/// code of a user runs on a run thread. It is its own work item, so queueing allocates nothing.
/// </remarks>
internal sealed class AwaitedRequest<TRequest, TResult> : IRequestCompletion, IValueTaskSource<TResult>, IThreadPoolWorkItem
    where TRequest : PendingRequest
{
    private readonly RequestPool<TRequest, TResult> _pool;
    private readonly Func<TRequest, TResult> _result;
    private ManualResetValueTaskSourceCore<bool> _source;

    // Twice the number of the use, plus 1 while it is rented. The source's version is the low half of the number of the use.
    private long _use;

    /// <param name="pool">The pool it returns to.</param>
    /// <param name="create">Makes the request.</param>
    /// <param name="result">Makes the result of an answered request, on the thread that takes it.</param>
    public AwaitedRequest(RequestPool<TRequest, TResult> pool, Func<IRequestCompletion, TRequest> create, Func<TRequest, TResult> result)
    {
        _pool = pool;
        _result = result;
        Request = create(this);
    }

    public TRequest Request { get; }

    public short Token => _source.Version;

    public ValueTask<TResult> Task => new(this, _source.Version);

    public void Rent()
    {
        Debug.Assert((_use & 1) == 0 && (short)(_use >> 1) == _source.Version, "an idle request, and its source of the same use");
        Volatile.Write(ref _use, _use | 1);
    }

    /// <summary>Returns a request to the pool that was never posted.</summary>
    public void Withdraw() => GiveBack(Volatile.Read(ref _use));

    public TResult GetResult(short token)
    {
        long use = Volatile.Read(ref _use);
        if ((use & 1) == 0 || (short)(use >> 1) != token)
            throw Misuse("its result was taken before");
        if (_source.GetStatus(token) == ValueTaskSourceStatus.Pending)
            throw Misuse("it is still under way");

        // Of two threads that take the same result, only one may touch the request.
        if (Interlocked.CompareExchange(ref _use, use & ~1L, use) != use)
            throw Misuse("its result was taken before");
        try
        {
            _source.GetResult(token);
            return _result(Request);
        }
        finally
        {
            GiveBack(use);
        }
    }

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    public void OnCompleted(PendingRequest request) => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);

    public void Execute()
    {
        if (Request.Error is { } error)
            _source.SetException(error);
        else
            _source.SetResult(true);
    }

    private static InvalidOperationException Misuse(string found) => new(
        $"Expected a search or look-up that has ended, and whose result was not taken, found that {found}. "
        + "Await the ValueTask once, or turn it into a Task by AsTask().");

    private void GiveBack(long use)
    {
        Request.Clear();
        _source.Reset();
        Volatile.Write(ref _use, (use & ~1L) + 2);
        _pool.Return(this);
    }
}
