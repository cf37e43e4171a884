using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Pipeline;

/// <summary>Ops that have landed and wait for the run thread, in the order in which they landed.</summary>
/// <remarks>
/// Belongs to one thread. As large as the session's capacity, so it can never be full when the device hands something back.
/// </remarks>
internal sealed class ReadyQueue
{
    private readonly DeviceRead[] _ring;
    private readonly int _mask;
    private int _head;
    private int _tail;

    /// <param name="capacity">Most ops that can wait.</param>
    public ReadyQueue(int capacity)
    {
        int size = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)capacity);
        _ring = new DeviceRead[size];
        _mask = size - 1;
    }

    /// <summary>Ops that wait.</summary>
    public int Count => _tail - _head;

    /// <summary>Ops that were handed back although no device held them; they were dropped.</summary>
    public long Strays { get; private set; }

    /// <summary>Free places that lie side by side; more than 0 unless the queue is full. The device fills them from the first on.</summary>
    public Span<DeviceRead> FreeSpan
    {
        get
        {
            // A turn ends with an empty queue: beginning again at the front keeps the free places together, so one reap takes all that
            // landed.
            if (_head == _tail)
                _head = _tail = 0;
            int start = _tail & _mask;
            int free = _ring.Length - Count;
            return _ring.AsSpan(start, Math.Min(free, _ring.Length - start));
        }
    }

    /// <summary>Takes over what the device has put into <see cref="FreeSpan"/>.</summary>
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
        AssertInvariants();
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

    [Conditional("DEBUG")]
    private void AssertInvariants() => Debug.Assert(Count >= 0 && Count <= _ring.Length, "the queue holds between none and all ops");
}
