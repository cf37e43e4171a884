using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Native;

namespace VectorPipe.Tests.Devices;

/// <summary>A queue with a slab of poisoned 8 KiB buffers and one read for each.</summary>
internal sealed unsafe class QueueHarness : IDisposable
{
    public const int BufferSize = 8192;
    public const int BlockSize = 4096;
    public const byte Poison = 0xEE;

    // A queue waits for a minute at most.
    private const int MostSeconds = 60;

    private readonly NativeBuffer _slab;

    /// <summary>The reads: one more than the capacity, to test a refusal.</summary>
    public QueueHarness(IDevice device, int capacity)
    {
        _slab = new NativeBuffer((nuint)((capacity + 1) * BufferSize));
        Queue = device.OpenQueue(
            new DeviceQueueOptions { Capacity = capacity, SlabAddress = _slab.Address, SlabLength = (long)_slab.Length });
        Reads = [.. Enumerable.Range(0, capacity + 1).Select(i => new TestRead(i))];
        Done = new DeviceRead[capacity + 1];
    }

    public static TimeSpan Patience => TimeSpan.FromSeconds(Math.Min(HangBound.Patience.TotalSeconds, MostSeconds));

    public IDeviceQueue Queue { get; }

    public TestRead[] Reads { get; }

    public DeviceRead[] Done { get; }

    public TestRead Prepare(int slot, long offset, int length)
    {
        TestRead read = Reads[slot];
        read.Offset = offset;
        read.Length = length;
        read.Address = (nint)_slab.Pointer + (slot * BufferSize);
        read.Result = int.MinValue;
        Buffer(slot).Fill(Poison);
        return read;
    }

    public void Enqueue(int slot, long offset, int length) => Assert.That(Queue.TryEnqueue(Prepare(slot, offset, length)), Is.True);

    public Span<byte> Buffer(int slot) => _slab.Span((nuint)(slot * BufferSize), BufferSize);

    /// <summary>Reaps until nothing is in flight, and counts how often each read was handed back.</summary>
    public int ReapAll()
    {
        int total = 0;
        while (Queue.InFlight > 0)
        {
            int count = Queue.Reap(Done, 1, Patience);
            Assert.That(count, Is.GreaterThan(0), "A read did not come back.");
            for (int i = 0; i < count; i++)
                ((TestRead)Done[i]).HandedBack++;
            total += count;
        }

        return total;
    }

    /// <summary>Asserts that the buffer holds the file's bytes up to the result, and is untouched after it.</summary>
    public void AssertBytes(DeviceRead read)
    {
        ReadOnlySpan<byte> buffer = Buffer(read.Slot);
        int expected = Math.Max(read.Result, 0);
        for (int i = 0; i < buffer.Length; i++)
        {
            byte wanted = i < expected ? PatternFile.ByteAt(read.Offset + i) : Poison;
            if (buffer[i] != wanted)
                Assert.Fail($"Slot {read.Slot}, offset {read.Offset}, result {read.Result}: byte {i} is {buffer[i]}, expected {wanted}.");
        }
    }

    public void Dispose()
    {
        Queue.Dispose();
        if (!Queue.BuffersMayBeWritten)
            _slab.Dispose();
    }
}
