using System.Collections.Concurrent;
using System.Diagnostics;
using VectorPipe.Devices.Native;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>Threads that end with their work, of lower priority: a scheduler for it and for the tasks and loops that it starts.</summary>
/// <remarks>
/// <para>
/// On Linux a new thread has the priority of the thread that starts it, and the one that queues work for the pool may have to start a
/// thread of the pool. Threads of the pool serve everybody and live long, so nothing may be queued for it from here: results and reports
/// are handed over to a thread of normal priority, which does.
/// </para>
/// <para>
/// Measured with 2,000 searches and 2,000 upserts a second, 60,000 records and a rebuild within 50 s on two cores: the 99th percentile of
/// searches was 8 and 10 ms instead of 2.7 and 4.7 s, in two alternating rounds.
/// </para>
/// <para>Thread-safe. Create it on a thread of normal priority, and dispose it there when all of its work has ended.</para>
/// </remarks>
internal sealed class BackgroundThreads : TaskScheduler, IDisposable
{
    private readonly object _gate = new();
    private readonly LinkedList<Task> _tasks = [];
    private readonly List<Thread> _threads = [];
    private readonly BlockingCollection<Action> _handedOver = [];
    private readonly Thread _receiver;
    private readonly int _mostThreads;
    private readonly string _name;
    private readonly bool _isUrgent;
    private int _idle;
    private bool _isClosing;

    /// <param name="name">Names the threads.</param>
    /// <param name="mostThreads">Most threads that work at once; 1 or more.</param>
    /// <param name="isUrgent">Whether the threads have normal priority nevertheless.</param>
    public BackgroundThreads(string name, int mostThreads, bool isUrgent = false)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(mostThreads, 1);
        _name = name;
        _isUrgent = isUrgent;
        _mostThreads = mostThreads;
        _receiver = new Thread(Receive) { IsBackground = true, Name = name + " end" };
        _receiver.Start();
    }

    /// <summary>Most threads that work at once.</summary>
    public override int MaximumConcurrencyLevel => _mostThreads;

    /// <summary>Runs <paramref name="work"/> on one of the threads; the tasks and parallel loops that it starts run there, too.</summary>
    /// <exception cref="OperationCanceledException">The work was cancelled.</exception>
    public Task<T> RunAsync<T>(Func<T> work)
    {
        var result = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = Task.Factory.StartNew(
            () => HandOver(Ended(work, result)), CancellationToken.None, TaskCreationOptions.DenyChildAttach, this);
        return result.Task;
    }

    /// <summary>Has the thread of normal priority make the reports of the work.</summary>
    public IProgress<T> Relay<T>(IProgress<T> progress) => new Relayed<T>(this, progress);

    /// <summary>Ends the threads. All work has ended.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            AssertInvariants();
            _isClosing = true;
            Monitor.PulseAll(_gate);
        }

        foreach (Thread thread in _threads)
            thread.Join();
        _handedOver.CompleteAdding();
        _receiver.Join();
        _handedOver.Dispose();
    }

    protected override void QueueTask(Task task)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosing, this);
            if (_tasks.Count >= _idle && _threads.Count < _mostThreads)
            {
                // A thread that cannot be started is none to wait for, and its task is not queued.
                var thread = new Thread(Work) { IsBackground = true, Name = $"{_name} {_threads.Count}" };
                thread.Start();
                _threads.Add(thread);
            }

            _tasks.AddLast(task);
            AssertInvariants();
            Monitor.Pulse(_gate);
        }
    }

    protected override bool TryDequeue(Task task)
    {
        lock (_gate)
            return _tasks.Remove(task);
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        // A thread that waits for a task of its own may do it; others would do it at their priority.
        return Current == this && (!taskWasPreviouslyQueued || TryDequeue(task)) && TryExecuteTask(task);
    }

    protected override IEnumerable<Task> GetScheduledTasks()
    {
        lock (_gate)
            return [.. _tasks];
    }

    // What ends the work, for the thread of normal priority.
    private static Action Ended<T>(Func<T> work, TaskCompletionSource<T> result)
    {
        try
        {
            T value = work();
            return () => result.SetResult(value);
        }
        catch (OperationCanceledException e)
        {
            return () => result.SetCanceled(e.CancellationToken);
        }
        catch (Exception e)
        {
            return () => result.SetException(e);
        }
    }

    private void HandOver(Action action) => _handedOver.Add(action);

    private void Receive()
    {
        foreach (Action action in _handedOver.GetConsumingEnumerable())
            action();
    }

    private void Work()
    {
        if (!_isUrgent)
            BackgroundPriority.TryLower();
        while (Take() is { } task)
            TryExecuteTask(task);
    }

    private Task? Take()
    {
        lock (_gate)
        {
            _idle++;
            while (_tasks.Count == 0 && !_isClosing)
                Monitor.Wait(_gate);
            _idle--;
            if (_tasks.First is not { } first)
                return null;
            _tasks.RemoveFirst();
            return first.Value;
        }
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Monitor.IsEntered(_gate), "tasks and threads are read under the gate");
        Debug.Assert(_threads.Count <= _mostThreads && _idle <= _threads.Count, "no more threads than may work");
        Debug.Assert(_tasks.Count == 0 || _threads.Count > 0, "a task that waits has a thread that will take it");
    }

    private sealed class Relayed<T>(BackgroundThreads threads, IProgress<T> progress) : IProgress<T>
    {
        // The work waits, as for any report, and gets what it throws: it may mean to end the work.
        public void Report(T value)
        {
            var reported = new TaskCompletionSource();
            threads.HandOver(() =>
            {
                try
                {
                    progress.Report(value);
                    reported.SetResult();
                }
                catch (Exception e)
                {
                    reported.SetException(e);
                }
            });
            reported.Task.GetAwaiter().GetResult();
        }
    }
}
