using System.Diagnostics;
using System.Threading.Tasks.Sources;

namespace VectorPipe.Tasks;

/// <summary>The result of an async method that waits, as a task that is awaited once.</summary>
/// <remarks>
/// Its method gives it back to a pool when the result is taken. By then the method has ended, and an awaiter that asks again has the token
/// of an earlier use, which is refused: nobody sees the result of another call.
/// </remarks>
internal class PooledTask<TResult> : IValueTaskSource<TResult>, IValueTaskSource
{
    // Marks the token of a use whose result was not taken.
    private const int Open = 1 << 16;

    private ManualResetValueTaskSourceCore<TResult> _source;
    private int _use = Open;

    /// <summary>This use, to be awaited once.</summary>
    public ValueTask<TResult> Task => new(this, _source.Version);

    /// <inheritdoc cref="Task"/>
    public ValueTask TaskWithoutResult => new(this, _source.Version);

    public void SetResult(TResult result) => _source.SetResult(result);

    public void SetException(Exception error) => _source.SetException(error);

    public TResult GetResult(short token)
    {
        if (_source.GetStatus(token) == ValueTaskSourceStatus.Pending)
            throw Misuse("it is still under way");

        // Of two threads that take the same result, only one may give it back.
        int use = Open | (ushort)token;
        if (Interlocked.CompareExchange(ref _use, 0, use) != use)
            throw Misuse("its result was taken before");
        try
        {
            return _source.GetResult(token);
        }
        finally
        {
            _source.Reset();
            GiveBack();
        }
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    private static InvalidOperationException Misuse(string found) => new(
        $"Expected a task that has ended, and whose result was not taken, found that {found}. Await the ValueTask once, or turn it into a "
        + "Task by AsTask().");

    /// <summary>Begins the next use.</summary>
    protected void Begin()
    {
        int use = Open | (ushort)_source.Version;
        Debug.Assert(_use == 0 || _use == use, "the result of the use before was taken, or there was none");
        Volatile.Write(ref _use, use);
    }

    /// <summary>Its result was taken.</summary>
    protected virtual void GiveBack()
    {
    }
}
