using System.Diagnostics;
using VectorPipe.Collections.Waiting;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>The sets of writes that a rebuild has not taken in: the next generation takes them in before it comes into force.</summary>
/// <remarks>
/// Checkpoints of the generation in force take them in meanwhile, so that searches need not score all of them. They are kept here until
/// the next one has them, too. Thread-safe.
/// </remarks>
internal sealed class LaterWrites
{
    private readonly Lock _gate = new();
    private readonly List<WaitingSet> _sets;
    private readonly WaitingSet[] _pinned;
    private TaskCompletionSource _due = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <param name="pinned">The sets that the rebuild takes in.</param>
    /// <param name="newest">The set that grows above them.</param>
    public LaterWrites(WaitingSet[] pinned, WaitingSet newest)
    {
        _pinned = pinned;
        _sets = [newest];
        AssertInvariants();
    }

    /// <summary>The sets, the newest last: that one grows.</summary>
    public WaitingSet[] Sets
    {
        get
        {
            lock (_gate)
                return [.. _sets];
        }
    }

    /// <summary>Writes in the sets.</summary>
    public long Writes
    {
        get
        {
            lock (_gate)
                return _sets.Sum(static set => (long)set.Writes);
        }
    }

    /// <summary>Bytes of the sets.</summary>
    public long Bytes
    {
        get
        {
            lock (_gate)
                return _sets.Sum(static set => set.Bytes);
        }
    }

    /// <summary>Bytes of these sets and of those that the rebuild takes in, but for some that are counted elsewhere.</summary>
    public long BytesBeside(ReadOnlySpan<WaitingSet> counted) =>
        _pinned.Concat(Sets).Except(counted.ToArray()).Sum(static set => set.Bytes);

    /// <summary>Adds a set that grows from now on. On the writer's thread.</summary>
    public void Add(WaitingSet newest)
    {
        lock (_gate)
        {
            _sets.Add(newest);
            AssertInvariants();
        }
    }

    /// <summary>Forgets the oldest sets: the next generation has them.</summary>
    public void Remove(int count)
    {
        lock (_gate)
        {
            _sets.RemoveRange(0, count);
            AssertInvariants();
        }
    }

    /// <summary>A task that ends when a checkpoint is due after the call.</summary>
    public Task NextDue()
    {
        lock (_gate)
        {
            if (_due.Task.IsCompleted)
                _due = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _due.Task;
        }
    }

    /// <summary>Notes that a checkpoint is due.</summary>
    public void NoteDue()
    {
        lock (_gate)
            _due.TrySetResult();
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_sets.Count > 0, "one set grows");
        Debug.Assert(_sets.Distinct().Count() == _sets.Count, "a set is taken in once");
    }
}
