using System.Runtime.InteropServices;
using VectorPipe.Devices;

namespace VectorPipe.Conformance;

/// <summary>A queue with a slab of poisoned buffers of 8 KiB, and a read for each; one more than the capacity, to be refused.</summary>
internal sealed unsafe class QueueUnderCheck : IDisposable
{
    public const int BufferLength = 8192;
    public const int Block = 4096;

    private const byte Poison = 0xEE;

    private readonly byte* _slab;
    private readonly TimeSpan _patience;

    public QueueUnderCheck(IDevice device, int capacity, TimeSpan patience)
    {
        long length = (long)(capacity + 1) * BufferLength;
        _patience = patience;
        _slab = (byte*)NativeMemory.AlignedAlloc((nuint)length, Block);
        try
        {
            Queue = device.OpenQueue(new DeviceQueueOptions { Capacity = capacity, SlabAddress = (nint)_slab, SlabLength = length });
        }
        catch
        {
            NativeMemory.AlignedFree(_slab);
            throw;
        }

        Reads = [.. Enumerable.Range(0, capacity + 1).Select(slot => new CheckedRead(slot))];
        Done = new DeviceRead[capacity + 1];
    }

    public IDeviceQueue Queue { get; }

    public CheckedRead[] Reads { get; }

    public DeviceRead[] Done { get; }

    public CheckedRead Prepare(int slot, long offset, int length = Block, int file = 0)
    {
        CheckedRead read = Reads[slot];
        (read.File, read.Offset, read.Length, read.Result) = (file, offset, length, CheckedRead.Untouched);
        read.Address = (nint)_slab + (slot * BufferLength);
        Buffer(slot).Fill(Poison);
        return read;
    }

    public void Enqueue(int slot, long offset, int length = Block, int file = 0) =>
        Claim.That(Queue.TryEnqueue(Prepare(slot, offset, length, file)), "a queue with room to accept a read", nameof(Enqueue));

    /// <summary>Reaps once: at least one read comes back.</summary>
    public int Reap(int most = int.MaxValue)
    {
        int count = Queue.Reap(Done.AsSpan(0, Math.Min(most, Done.Length)), 1, _patience);
        Claim.That(count > 0, $"a read to come back within {_patience.TotalSeconds} s", nameof(Reap));
        for (int i = 0; i < count; i++)
            ((CheckedRead)Done[i]).HandedBack++;
        return count;
    }

    /// <summary>Reaps until nothing is in flight.</summary>
    public int ReapAll()
    {
        int total = 0;
        while (Queue.InFlight > 0)
            total += Reap();
        return total;
    }

    /// <summary>Reaps as the device asks for it, with all that a wait may be.</summary>
    public int ReapOnce(int waitFor, int most) => Queue.Reap(Done.AsSpan(0, most), waitFor, _patience);

    /// <summary>The buffer has the bytes of the file up to the result, and is untouched where the read was not to go.</summary>
    /// <remarks>Behind a short read, within the length that was asked for, may be anything: the kernel writes zeros there.</remarks>
    public void ClaimBytes(DeviceRead read, Func<long, byte> byteAt)
    {
        ReadOnlySpan<byte> buffer = Buffer(read.Slot);
        int start = (int)(read.Address - (nint)_slab) - (read.Slot * BufferLength);
        int end = start + Math.Max(read.Result, 0), mayBeWritten = start + (read.Result == CheckedRead.Untouched ? 0 : read.Length);
        for (int i = 0; i < buffer.Length; i++)
        {
            bool isRead = i >= start && i < end;
            byte expected = isRead ? byteAt(read.Offset + i - start) : Poison;
            if (buffer[i] != expected && (isRead || i < start || i >= mayBeWritten))
            {
                throw new ConformanceException(
                    $"A read of {read.Length} bytes at {read.Offset} with the result {read.Result}: expected {expected} in byte {i} of its "
                    + $"buffer, found {buffer[i]}.");
            }
        }
    }

    public void Dispose()
    {
        Queue.Dispose();
        if (!Queue.BuffersMayBeWritten)
            NativeMemory.AlignedFree(_slab);
    }

    private Span<byte> Buffer(int slot) => new(_slab + ((long)slot * BufferLength), BufferLength);
}
