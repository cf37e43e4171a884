using System.Diagnostics;
using System.Numerics;

namespace VectorPipe.Devices;

/// <summary>When reads of one latency are due, first in first out. For one thread; allocates only when created.</summary>
internal sealed class DueTimes
{
    private readonly long[] _dueTicks;
    private readonly long _latencyTicks;
    private readonly uint _mask;
    private uint _head;
    private uint _tail;

    /// <param name="capacity">Most times held at once.</param>
    /// <param name="latencyUs">Microseconds from push to due.</param>
    public DueTimes(int capacity, int latencyUs)
    {
        _dueTicks = new long[BitOperations.RoundUpToPowerOf2((uint)capacity)];
        _mask = (uint)_dueTicks.Length - 1;
        _latencyTicks = latencyUs * Stopwatch.Frequency / 1_000_000;
    }

    /// <summary>Appends a time that lies one latency from now.</summary>
    public void Push() => _dueTicks[_tail++ & _mask] = Stopwatch.GetTimestamp() + _latencyTicks;

    /// <summary>Drops the oldest time.</summary>
    public void Pop() => _head++;

    /// <summary>Whether the oldest but <paramref name="index"/> has come.</summary>
    public bool IsDue(int index) => Stopwatch.GetTimestamp() >= _dueTicks[(_head + (uint)index) & _mask];
}
