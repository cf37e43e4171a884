using System.Diagnostics;
using System.Numerics;

namespace VectorPipe.Devices.Memory;

/// <summary>The times at which reads are due, first in first out. For one thread; allocates only when created.</summary>
internal sealed class DueTimes
{
    private readonly long[] _dueTicks;
    private readonly uint _mask;
    private uint _head;
    private uint _tail;

    public DueTimes(int capacity)
    {
        _dueTicks = new long[BitOperations.RoundUpToPowerOf2((uint)capacity)];
        _mask = (uint)_dueTicks.Length - 1;
    }

    /// <summary>Appends a time, no earlier than the last one.</summary>
    public void Push(long dueTicks) => _dueTicks[_tail++ & _mask] = dueTicks;

    public void Pop() => _head++;

    /// <summary>Whether the time at <paramref name="index"/>, counted from the oldest, has come.</summary>
    public bool IsDue(int index) => Stopwatch.GetTimestamp() >= _dueTicks[(_head + (uint)index) & _mask];
}
