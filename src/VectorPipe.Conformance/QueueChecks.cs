using System.Runtime.InteropServices;
using VectorPipe.Devices;

namespace VectorPipe.Conformance;

/// <summary>Capacity, counts, and how reads come back.</summary>
internal static unsafe class QueueChecks
{
    private const int Block = QueueUnderCheck.Block;

    public static void A_full_queue_refuses_and_does_not_change_the_read(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(5);
        int capacity = queue.Queue.Capacity;
        Claim.That(capacity is >= 1 and <= 5, $"a capacity of 1 to 5, not {capacity}");
        for (int slot = 0; slot < capacity; slot++)
            queue.Enqueue(slot, slot * Block);
        CheckedRead refused = queue.Prepare(capacity, 0);
        Claim.That(!queue.Queue.TryEnqueue(refused), "a full queue to refuse a read");
        Claim.Equal(capacity, queue.Queue.InFlight, "reads in flight:");
        Claim.Equal(capacity, queue.ReapAll(), "a number of reads of");
        Claim.Equal(CheckedRead.Untouched, refused.Result, "a result that nothing wrote to,");
        queue.ClaimBytes(refused, CheckedDevice.ByteAt);
        Claim.Equal((capacity, capacity), ((int)queue.Queue.Counters.Reads, queue.Queue.Counters.HighWater), "counts of");
    }

    public static void Every_read_is_handed_back_exactly_once(CheckedDevice subject)
    {
        const int rounds = 500;
        using QueueUnderCheck queue = subject.OpenQueue(16);
        int capacity = queue.Queue.Capacity;
        for (int round = 0; round < rounds; round++)
        {
            for (int slot = 0; slot < capacity; slot++)
                queue.Enqueue(slot, (round + slot) % 250 * Block);
            queue.Queue.Submit();
            Claim.Equal(capacity, queue.ReapAll(), "a number of reads of");
            foreach (CheckedRead read in queue.Reads.AsSpan(0, capacity))
                Claim.Equal(round + 1, read.HandedBack, $"slot {read.Slot} to be handed back once a round, in all");
        }

        DeviceCounters counters = queue.Queue.Counters;
        Claim.Equal(((long)capacity * rounds, (long)capacity * rounds), (counters.Reads, counters.Completions), "counts of");
        Claim.Equal((long)capacity * rounds * Block, counters.BytesRead, "a number of bytes of");
        Claim.Equal(0, counters.StrayCompletions, "a number of stray completions of");
    }

    public static void Reap_fills_no_more_than_the_span_and_keeps_the_rest(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(8);
        int capacity = queue.Queue.Capacity;
        for (int slot = 0; slot < capacity; slot++)
            queue.Enqueue(slot, slot * Block);
        int first = Math.Min(3, capacity);
        Claim.Equal(first, queue.ReapOnce(waitFor: capacity, most: first), "a number of reads of");
        Claim.Equal(capacity - first, queue.Queue.InFlight, "reads in flight:");
        Claim.Equal(capacity - first, queue.ReapAll(), "a number of reads of");
    }

    public static void Reap_without_waiting_gets_everything_in_the_end(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(8);
        int capacity = queue.Queue.Capacity;
        for (int slot = 0; slot < capacity; slot++)
            queue.Enqueue(slot, slot * Block);
        queue.Queue.Submit();
        int total = 0;
        bool isAll = SpinWait.SpinUntil(() => (total += queue.ReapOnce(waitFor: 0, most: capacity)) == capacity, subject.Patience);
        Claim.That(isAll, $"{capacity} reads to come back without a wait, not {total}");
        Claim.Equal(0, queue.Queue.InFlight, "reads in flight:");
    }

    public static void Reap_with_nothing_in_flight_returns_at_once(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(4);
        Claim.Equal(0, queue.ReapOnce(waitFor: 4, most: 4), "a number of reads of");
    }

    public static void A_capacity_out_of_range_is_refused(CheckedDevice subject)
    {
        foreach (int capacity in (int[])[0, -1, DeviceQueueOptions.MaxCapacity + 1])
        {
            Claim.Throws<ArgumentOutOfRangeException>(
                () => subject.Device.OpenQueue(new DeviceQueueOptions { Capacity = capacity }).Dispose(), $"a capacity of {capacity}");
        }
    }

    public static void The_largest_capacity_works(CheckedDevice subject)
    {
        void* buffer = NativeMemory.AlignedAlloc(Block, Block);
        IDeviceQueue queue = subject.Device.OpenQueue(new DeviceQueueOptions { Capacity = DeviceQueueOptions.MaxCapacity });
        try
        {
            Claim.That(queue.TryEnqueue(new CheckedRead(0) { Address = (nint)buffer, Length = Block }), "a read to be accepted");
            Claim.Equal(1, queue.Reap(new DeviceRead[1], 1, subject.Patience), "a number of reads of");
        }
        finally
        {
            queue.Dispose();
            if (!queue.BuffersMayBeWritten)
                NativeMemory.AlignedFree(buffer);
        }
    }
}
