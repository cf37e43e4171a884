using System.Diagnostics;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Connections;

/// <summary>The calls of a client that run: what may begin beside them, and when the last one has ended.</summary>
/// <remarks>One reader begins calls and waits for them; they end on any thread.</remarks>
/// <param name="mostBytes">Of arguments of commands on their way; one command may be as large.</param>
internal sealed class RunningCalls(int mostBytes)
{
    private readonly Lock _gate = new();

    // Elements that running calls write, by numbers.
    private readonly List<int> _elements = [];
    private CommandKind _kind;
    private long _bytes;
    private int _count;
    private TaskCompletionSource? _idle;

    /// <summary>Whether a call runs.</summary>
    public bool HasAny
    {
        get
        {
            lock (_gate)
                return _count > 0;
        }
    }

    /// <summary>Whether a call may begin beside those that run: reads beside reads, writes beside those of other elements.</summary>
    public bool MayBegin(CommandKind kind, int element, int bytes)
    {
        lock (_gate)
        {
            if (_count == 0)
                return true;
            bool isOther = kind != CommandKind.Put || !_elements.Contains(element);
            return kind != CommandKind.Control && kind == _kind && isOther && _bytes + bytes <= mostBytes;
        }
    }

    /// <summary>Begins a call that may.</summary>
    public void Begin(Call call, CommandKind kind, int element)
    {
        call.RunningElement = element;
        call.RunningBytes = call.Command.Length;
        Debug.Assert(MayBegin(kind, element, call.RunningBytes), "it was waited for those that it may not run beside");
        lock (_gate)
        {
            _kind = kind;
            _count++;
            _bytes += call.RunningBytes;
            if (kind == CommandKind.Put)
                _elements.Add(element);
            AssertInvariants();
        }
    }

    /// <summary>Ends a call: it uses no set any more.</summary>
    public void End(Call call)
    {
        TaskCompletionSource? idle = null;
        lock (_gate)
        {
            Debug.Assert(_count > 0, "ended as often as begun");
            _bytes -= call.RunningBytes;
            if (_kind == CommandKind.Put)
                _elements.Remove(call.RunningElement);
            if (--_count == 0)
                (idle, _idle) = (_idle, null);
            AssertInvariants();
        }

        idle?.SetResult();
    }

    /// <summary>Ends when no call runs.</summary>
    public Task WaitAsync()
    {
        lock (_gate)
        {
            if (_count == 0)
                return Task.CompletedTask;
            _idle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _idle.Task;
        }
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_elements.Count == (_kind == CommandKind.Put ? _count : 0), "a write is of one element, other calls are of none");
        Debug.Assert(_kind != CommandKind.Control || _count <= 1, "it runs alone");
        Debug.Assert(_count > 0 ? _bytes >= 0 : _bytes == 0 && _idle is null, "without calls there is nothing of them");
    }
}
