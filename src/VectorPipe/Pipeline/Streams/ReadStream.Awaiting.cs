using System.Threading.Tasks.Sources;

namespace VectorPipe.Pipeline.Streams;

/// <content>The awaitable call: completed on the run thread, at the end of the drain that brought the buffer.</content>
internal sealed unsafe partial class ReadStream : IDrainWaiter, IValueTaskSource<ReadStatus>
{
    private ManualResetValueTaskSourceCore<ReadStatus> _awaited;
    private CancellationToken _awaitedToken;
    private bool _isAwaited;

    /// <summary>
    /// The next buffer, in <see cref="Current"/>. Someone else drains the session meanwhile; the awaiting code goes on within that drain.
    /// Await it at once.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait, with the next drain; the buffer is still the next.</param>
    /// <returns>Anything but <see cref="ReadStatus.NotReady"/>.</returns>
    public ValueTask<ReadStatus> GetNextAsync(CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            Status = Step(out _);
        }
        catch (Exception e)
        {
            return ValueTask.FromException<ReadStatus>(e);
        }

        _session.SubmitIfIdle();
        if (Status != ReadStatus.NotReady)
            return ValueTask.FromResult(Status);
        _awaited.Reset();
        _awaitedToken = cancellationToken;
        _isAwaited = true;
        _session.TellWhenDrained(this);
        return new ValueTask<ReadStatus>(this, _awaited.Version);
    }

    /// <inheritdoc/>
    public void OnDrained()
    {
        if (!_isAwaited)
            return;
        try
        {
            _awaitedToken.ThrowIfCancellationRequested();
            Status = Step(out _);
        }
        catch (Exception e)
        {
            _isAwaited = false;
            _awaited.SetException(e);
            return;
        }

        if (Status == ReadStatus.NotReady)
        {
            _session.TellWhenDrained(this);
            return;
        }

        _session.SubmitIfIdle();
        _isAwaited = false;
        _awaited.SetResult(Status);
    }

    /// <inheritdoc/>
    public ReadStatus GetResult(short token) => _awaited.GetResult(token);

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => _awaited.GetStatus(token);

    /// <inheritdoc/>
    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _awaited.OnCompleted(continuation, state, token, flags);

    private void EndWait()
    {
        if (!_isAwaited)
            return;
        _isAwaited = false;
        _awaited.SetException(new ObjectDisposedException(nameof(ReadStream)));
    }
}
