using System.Threading.Tasks.Sources;
using VectorPipe.Numerics;
using VectorPipe.Searching;

namespace VectorPipe;

/// <summary>A pooled look-up that can be awaited: request, completion source, thread-pool work item and record in one object.</summary>
/// <remarks>
/// Rented from its index, awaited once, and given back by the disposal of its record, or at once if there is none. As with
/// <see cref="AsyncSearchRequest"/>, no user code ever runs on a run thread.
/// </remarks>
internal sealed class AsyncLookupRequest : LookupRequest, IValueTaskSource<VectorRecord?>, IThreadPoolWorkItem
{
    private readonly RequestPool<AsyncLookupRequest> _pool;
    private ManualResetValueTaskSourceCore<VectorRecord?> _source;
    private int _rented;

    /// <param name="pool">Takes the request back.</param>
    /// <param name="elementType">The index's element type.</param>
    public AsyncLookupRequest(RequestPool<AsyncLookupRequest> pool, VectorElementType elementType)
    {
        _pool = pool;
        ElementType = elementType;
    }

    /// <summary>The index's element type.</summary>
    public VectorElementType ElementType { get; }

    /// <summary>Changes with every use: a record of an earlier use is known by it.</summary>
    public short Version => _source.Version;

    /// <summary>What the caller awaits.</summary>
    public ValueTask<VectorRecord?> Task => new(this, _source.Version);

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
    public VectorRecord? GetResult(short token)
    {
        bool hasRecord = false;
        try
        {
            VectorRecord? record = _source.GetResult(token);
            hasRecord = record is not null;
            return record;
        }
        finally
        {
            // Without a record there is nothing to dispose, so the request goes back now.
            if (!hasRecord)
                Return(token);
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
            _source.SetResult(Found ? new VectorRecord(this, _source.Version) : null);
    }

    /// <inheritdoc/>
    protected override void OnCompleted() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
}
