using System.Diagnostics;
using System.Runtime.ExceptionServices;
using VectorPipe.Devices.Native;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>The threads of a checkpoint: the one that it runs on, and helpers while its pace has threads for them.</summary>
/// <typeparam name="TTool">What a thread works with: its own, from the first piece to the end of the thread.</typeparam>
/// <remarks>A piece may depend on its number alone, and not on the thread or on other pieces of its round.</remarks>
internal sealed class CheckpointCrew<TTool> : IDisposable
    where TTool : class, IDisposable
{
    private readonly Func<TTool> _create;
    private readonly CheckpointPace _pace;
    private readonly List<Thread> _helpers = [];
    private readonly object _gate = new();
    private TTool? _own;
    private Action<TTool, int>? _body;
    private int _pieces;
    private int _next;
    private int _left;
    private int _threads;
    private ExceptionDispatchInfo? _error;
    private bool _isClosing;

    /// <param name="create">Makes a tool, on the thread that works with it.</param>
    /// <param name="pace">Says how many threads may work.</param>
    public CheckpointCrew(Func<TTool> create, CheckpointPace pace)
    {
        _create = create;
        _pace = pace;
    }

    /// <summary>Does pieces 0 .. pieces - 1, and returns when all are done; the first error leaves out the rest.</summary>
    public void Run(int pieces, Action<TTool, int> body)
    {
        lock (_gate)
        {
            (_body, _pieces, _left, _next, _error) = (body, pieces, pieces, 0, null);
            _threads = Math.Min(_pace.Threads, pieces);
            while (_helpers.Count < _threads - 1)
            {
                int number = _helpers.Count + 1;
                var helper = new Thread(() => Help(number)) { IsBackground = true, Name = $"VectorPipe checkpoint {number}" };

                // One that does not start is none to wait for.
                helper.Start();
                _helpers.Add(helper);
            }

            Monitor.PulseAll(_gate);
        }

        while (TryTake(0, out int piece))
            Do(ref _own, piece);
        lock (_gate)
        {
            while (_left > 0)
                Monitor.Wait(_gate);
            AssertInvariants();
        }

        _error?.Throw();
    }

    /// <summary>Ends the helpers.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isClosing = true;
            Monitor.PulseAll(_gate);
        }

        foreach (Thread helper in _helpers)
            helper.Join();
        _own?.Dispose();
    }

    private void Help(int number)
    {
        TTool? tool = null;
        if (!_pace.IsBehind)
            BackgroundPriority.TryLower();
        while (true)
        {
            lock (_gate)
            {
                while (!_isClosing && (_next >= _pieces || number >= _threads))
                    Monitor.Wait(_gate);
                if (_isClosing)
                    break;
            }

            if (TryTake(number, out int piece))
                Do(ref tool, piece);
        }

        tool?.Dispose();
    }

    private bool TryTake(int number, out int piece)
    {
        lock (_gate)
        {
            piece = _next;
            if (_next >= _pieces || number >= _threads)
                return false;
            _next++;
            AssertInvariants();
            return true;
        }
    }

    private void Do(ref TTool? tool, int piece)
    {
        try
        {
            if (Volatile.Read(ref _error) is null)
                _body!(tool ??= _create(), piece);
        }
        catch (Exception e)
        {
            Interlocked.CompareExchange(ref _error, ExceptionDispatchInfo.Capture(e), null);
        }
        finally
        {
            lock (_gate)
            {
                if (--_left == 0)
                    Monitor.PulseAll(_gate);
            }
        }
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Monitor.IsEntered(_gate), "the state of a round is read under the gate");
        Debug.Assert(_next <= _pieces && _left >= _pieces - _next, "a piece that was not taken is not done");
    }
}
