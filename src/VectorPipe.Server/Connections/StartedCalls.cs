using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading.Tasks.Sources;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Connections;

/// <summary>Calls that were started, in their order, on their way from the reader of commands to the writer of replies.</summary>
/// <remarks>
/// The reader wakes the writer on its own thread, when it has read what there is: to wake another thread takes longer than to send a
/// reply, and a writer that is woken for each call sends each reply on its own. One adds, one takes.
/// </remarks>
/// <param name="most">The most calls of a client.</param>
internal sealed class StartedCalls(int most) : IValueTaskSource<bool>
{
    private readonly Lock _gate = new();
    private readonly Queue<Call> _calls = new();
    private ManualResetValueTaskSourceCore<bool> _woken;
    private bool _isWaiting;
    private bool _isComplete;

    /// <summary>Adds a call. The writer hears of it at the next <see cref="Wake"/>, unless it is awake.</summary>
    public void Add(Call call)
    {
        lock (_gate)
        {
            Debug.Assert(!_isComplete, "nothing comes behind the end");
            _calls.Enqueue(call);
            AssertInvariants();
        }
    }

    /// <summary>Has the writer go on, on this thread, if it waits and there are calls.</summary>
    public void Wake()
    {
        lock (_gate)
        {
            if (!_isWaiting || _calls.Count == 0)
                return;
            _isWaiting = false;
        }

        _woken.SetResult(true);
    }

    /// <summary>Nothing is added any more.</summary>
    public void Complete()
    {
        bool hasCalls;
        lock (_gate)
        {
            _isComplete = true;
            hasCalls = _calls.Count > 0;
            if (!_isWaiting)
                return;
            _isWaiting = false;
        }

        _woken.SetResult(hasCalls);
    }

    /// <summary>Takes the next call, if there is one.</summary>
    public bool TryTake([NotNullWhen(true)] out Call? call)
    {
        lock (_gate)
            return _calls.TryDequeue(out call);
    }

    /// <summary>Waits for a call. Awaited before it is asked again.</summary>
    /// <returns>False if none comes any more.</returns>
    public ValueTask<bool> WaitAsync()
    {
        lock (_gate)
        {
            Debug.Assert(!_isWaiting, "one takes");
            if (_calls.Count > 0 || _isComplete)
                return new ValueTask<bool>(_calls.Count > 0);
            _woken.Reset();
            _isWaiting = true;
            AssertInvariants();
            return new ValueTask<bool>(this, _woken.Version);
        }
    }

    bool IValueTaskSource<bool>.GetResult(short token) => _woken.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _woken.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _woken.OnCompleted(continuation, state, token, flags);

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_calls.Count <= most, "there are no more calls of a client");
        Debug.Assert(!_isWaiting || !_isComplete, "nobody waits behind the end");
    }
}
