using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;

namespace VectorPipe.Devices.Memory;

/// <summary>A bounded ring of reads from one submitting thread to one serving thread. Allocates only when created.</summary>
/// <remarks>
/// The producer owns the written tail and publishes it once per batch; the consumer owns the head. There are as many places as reads in
/// flight, so the producer never overruns the consumer.
/// </remarks>
internal sealed class SpscRing
{
    private readonly DeviceRead?[] _items;
    private readonly long[] _dueTicks;
    private readonly long _mask;
    private long _written;
    private long _published;
    private long _head;

    public SpscRing(int capacity)
    {
        _items = new DeviceRead?[BitOperations.RoundUpToPowerOf2((uint)capacity)];
        _dueTicks = new long[_items.Length];
        _mask = _items.Length - 1;
    }

    /// <summary>Reads written and not published. Producer only.</summary>
    public int Unpublished => (int)(_written - _published);

    /// <summary>Whether the consumer has taken every published read. Any thread.</summary>
    public bool IsEmpty => Volatile.Read(ref _head) == Volatile.Read(ref _published);

    /// <summary>Writes a read; <see cref="Publish"/> shows it to the consumer. Producer only.</summary>
    /// <param name="read">The read.</param>
    /// <param name="dueTicks">The earliest <see cref="Stopwatch"/> timestamp at which it may be served.</param>
    public void Write(DeviceRead read, long dueTicks)
    {
        Debug.Assert(_written - Volatile.Read(ref _head) < _items.Length, "More reads waiting than can be in flight.");
        long index = _written++ & _mask;
        _items[index] = read;
        _dueTicks[index] = dueTicks;
    }

    /// <summary>Publishes the written reads. Producer only.</summary>
    /// <remarks>Release: write the reads before the count that announces them.</remarks>
    public void Publish() => Volatile.Write(ref _published, _written);

    /// <summary>Takes the newest unpublished read back. Producer only.</summary>
    public bool TryTakeBack([NotNullWhen(true)] out DeviceRead? read)
    {
        read = null;
        if (_written == _published)
            return false;
        long index = --_written & _mask;
        read = _items[index]!;
        _items[index] = null;
        return true;
    }

    /// <summary>When the oldest read is due; false if there is none. Consumer only.</summary>
    public bool TryPeek(out long dueTicks)
    {
        // Acquire: load the count before the reads that it announces.
        bool hasRead = _head != Volatile.Read(ref _published);
        dueTicks = hasRead ? _dueTicks[_head & _mask] : long.MaxValue;
        return hasRead;
    }

    /// <summary>Takes the read that <see cref="TryPeek"/> has found. Consumer only.</summary>
    public DeviceRead Pop()
    {
        long index = _head & _mask;
        DeviceRead read = _items[index]!;
        _items[index] = null;
        Volatile.Write(ref _head, _head + 1);
        return read;
    }
}
