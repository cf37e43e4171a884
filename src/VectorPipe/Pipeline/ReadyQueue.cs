using System.Diagnostics;
using System.Numerics;
using VectorPipe.Devices;

namespace VectorPipe.Pipeline;

/// <summary>Ops that have landed and wait for the run thread, in the order in which they landed.</summary>
/// <remarks>Belongs to one thread. It has room for all ops of the session, so it is never full when the device hands one back.</remarks>
internal sealed class ReadyQueue
{
    private readonly DeviceRead[] _ring;
    private readonly int _mask;
    private int _head;
    private int _tail;

    public ReadyQueue(int capacity)
    {
        _ring = new DeviceRead[BitOperations.RoundUpToPowerOf2((uint)capacity)];
        _mask = _ring.Length - 1;
    }

    public int Count => _tail - _head;

    /// <summary>Ops that the device handed back although it did not hold them; the queue drops them.</summary>
    public long Strays { get; private set; }

    /// <summary>Adjacent free places, at least one unless the queue is full. The device fills them from the first on.</summary>
    public Span<DeviceRead> FreeSpan
    {
        get
        {
            // A turn ends with an empty queue. Starting again at the front keeps the free places adjacent, so one reap takes everything.
            if (_head == _tail)
                _head = _tail = 0;
            int start = _tail & _mask;
            int free = _ring.Length - Count;
            return _ring.AsSpan(start, Math.Min(free, _ring.Length - start));
        }
    }

    /// <summary>Appends the first <paramref name="count"/> ops of <see cref="FreeSpan"/>.</summary>
    public void Commit(int count)
    {
        int kept = 0;
        for (int i = 0; i < count; i++)
        {
            var op = (PendingIoContext)_ring[(_tail + i) & _mask];
            if (!op.TryMarkReady())
            {
                // Handed back twice: serving it would put it into the pool twice, and two requests into one buffer.
                Strays++;
                continue;
            }

            if (kept != i)
                _ring[(_tail + kept) & _mask] = op;
            kept++;
        }

        _tail += kept;
        Debug.Assert(Count >= 0 && Count <= _ring.Length, "the queue holds at most all ops");
    }

    /// <summary>Takes the op that has waited longest.</summary>
    public bool TryPop(out PendingIoContext op)
    {
        if (_head == _tail)
        {
            op = null!;
            return false;
        }

        op = (PendingIoContext)_ring[_head & _mask];
        _head++;
        return true;
    }
}
