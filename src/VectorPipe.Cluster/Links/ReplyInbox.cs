using System.Diagnostics;
using System.Threading.Tasks.Sources;

namespace VectorPipe.Cluster.Links;

/// <summary>Where one who waits for several calls takes those that have ended, in the order of their ends.</summary>
/// <remarks>One takes, one call at a time; calls end on any thread.</remarks>
/// <param name="clock">The clock of its patience.</param>
internal sealed class ReplyInbox(TimeProvider clock) : IValueTaskSource<LinkCall?>, IDisposable
{
    private static readonly TimeSpan _shortest = TimeSpan.FromMilliseconds(1);

    private readonly Lock _gate = new();
    private ManualResetValueTaskSourceCore<LinkCall?> _taken;
    private bool _isAwaited;

    // Calls that have ended and were not taken.
    private LinkCall? _first;
    private LinkCall? _last;

    // While it is waited for as long as this, from then on.
    private ITimer? _timer;
    private TimeSpan? _patience;
    private long _began;

    private CancellationToken _stopped;

    /// <summary>Takes the next call that has ended, when there is one. Awaited before it is asked again.</summary>
    /// <param name="patience">How long it waits for one; null for as long as it takes.</param>
    /// <returns>The call; null if the patience is over.</returns>
    /// <exception cref="OperationCanceledException">It was stopped.</exception>
    public ValueTask<LinkCall?> NextAsync(TimeSpan? patience)
    {
        lock (_gate)
        {
            Debug.Assert(!_isAwaited, "one takes, one call at a time");
            if (_stopped.IsCancellationRequested)
                return ValueTask.FromException<LinkCall?>(new OperationCanceledException(_stopped));
            if (_first is { } call)
            {
                _first = call.Next;
                call.Next = null;
                AssertInvariants();
                return new ValueTask<LinkCall?>(call);
            }

            _taken.Reset();
            _isAwaited = true;
            _patience = patience;
            if (patience is { } time)
            {
                _began = clock.GetTimestamp();
                _timer ??= clock.CreateTimer(
                    static inbox => ((ReplyInbox)inbox!).EndPatience(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
                _timer.Change(time, Timeout.InfiniteTimeSpan);
            }

            AssertInvariants();
            return new ValueTask<LinkCall?>(this, _taken.Version);
        }
    }

    /// <summary>Adds a call that has ended.</summary>
    /// <param name="call">The call.</param>
    /// <param name="mayRunHere">Whether who waits may go on on this thread, before this returns.</param>
    public void Add(LinkCall call, bool mayRunHere)
    {
        lock (_gate)
        {
            if (!EndWaiting())
            {
                if (_first is null)
                    _first = call;
                else
                    _last!.Next = call;
                _last = call;
                AssertInvariants();
                return;
            }
        }

        // Nobody else ends this waiting, and the next begins behind it.
        _taken.RunContinuationsAsynchronously = !mayRunHere;
        _taken.SetResult(call);
    }

    /// <summary>Stops it: nothing more is taken.</summary>
    public void Stop(CancellationToken reason)
    {
        lock (_gate)
        {
            _stopped = reason;
            if (!EndWaiting())
                return;
        }

        // Who stops it has other things to do.
        _taken.RunContinuationsAsynchronously = true;
        _taken.SetException(new OperationCanceledException(reason));
    }

    public void Dispose() => _timer?.Dispose();

    LinkCall? IValueTaskSource<LinkCall?>.GetResult(short token) => _taken.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<LinkCall?>.GetStatus(short token) => _taken.GetStatus(token);

    void IValueTaskSource<LinkCall?>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _taken.OnCompleted(continuation, state, token, flags);

    // Whether it was waited for; then the caller says with what it ends.
    private bool EndWaiting()
    {
        bool wasAwaited = _isAwaited;
        _isAwaited = false;
        if (wasAwaited && _patience is not null)
        {
            _patience = null;
            _timer!.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        return wasAwaited;
    }

    private void EndPatience()
    {
        lock (_gate)
        {
            if (_patience is not { } patience)
                return;

            // It may have gone off for the waiting before, or by a clock that is a little ahead.
            TimeSpan left = patience - clock.GetElapsedTime(_began);
            if (left > TimeSpan.Zero)
            {
                _timer!.Change(left > _shortest ? left : _shortest, Timeout.InfiniteTimeSpan);
                return;
            }

            EndWaiting();
        }

        _taken.RunContinuationsAsynchronously = false;
        _taken.SetResult(null);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(!_isAwaited || _first is null, "it is waited for when there is nothing to take");
        Debug.Assert(_patience is null || (_isAwaited && _timer is not null), "patience is that of one who waits");
    }
}
