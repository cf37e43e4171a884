using VectorPipe.Devices;

namespace VectorPipe.Conformance;

/// <summary>Which bytes a read brings, and which reads are refused.</summary>
internal static class ReadChecks
{
    private const int Block = QueueUnderCheck.Block;

    public static void Length_is_that_of_the_file(CheckedDevice subject)
    {
        Claim.Equal(1, subject.Device.FileCount, "a number of files of");
        Claim.Equal(subject.Length, subject.Device.LengthOf(0), "a length of");
    }

    public static void Reads_at_random_offsets_bring_the_bytes_of_their_positions(CheckedDevice subject)
    {
        var random = new Random(subject.Seed);
        using QueueUnderCheck queue = subject.OpenQueue(32);
        for (int slot = 0; slot < 32; slot++)
            queue.Enqueue(slot, random.Next(255) * Block, Block * random.Next(1, 3));
        for (int total = 0; total < 2000;)
        {
            int count = queue.Reap();
            foreach (DeviceRead read in queue.Done.AsSpan(0, count).ToArray())
            {
                Claim.Equal(read.Length, read.Result, "a result of");
                queue.ClaimBytes(read, CheckedDevice.ByteAt);
                queue.Enqueue(read.Slot, random.Next(255) * Block, Block * random.Next(1, 3));
                total++;
            }
        }

        queue.ReapAll();
    }

    public static void Several_files_are_read_by_their_numbers(CheckedDevice subject)
    {
        using IDevice device = subject.OpenSeveral(
            (3 * Block, CheckedDevice.ByteAt), (4 * Block, CheckedDevice.OtherByteAt), (3 * Block, CheckedDevice.ByteAt));
        Claim.Equal(3, device.FileCount, "a number of files of");
        Claim.Equal(
            (3L * Block, 4L * Block, 3L * Block), (device.LengthOf(0), device.LengthOf(1), device.LengthOf(2)), "lengths of");
        using QueueUnderCheck queue = subject.OpenQueue(device, 9);
        for (int slot = 0; slot < 9; slot++)
            queue.Enqueue(slot, slot / 3 * Block, Block, slot % 3);
        Claim.Equal(9, queue.ReapAll(), "a number of reads of");
        foreach (CheckedRead read in queue.Reads.AsSpan(0, 9))
        {
            Claim.Equal(Block, read.Result, "a result of");
            queue.ClaimBytes(read, read.File == 1 ? CheckedDevice.OtherByteAt : CheckedDevice.ByteAt);
        }

        foreach (int file in (int[])[-1, 3])
            Claim.Throws<ArgumentException>(() => queue.Queue.TryEnqueue(queue.Prepare(0, 0, Block, file)), $"file {file} of 3");
        Claim.Equal(0, queue.Queue.InFlight, "reads in flight:");
    }

    public static void A_read_across_the_end_of_the_file_is_short(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(1);
        int last = (subject.Length - 1) / Block * Block;
        foreach (int length in (int[])[Block, 2 * Block])
        {
            queue.Enqueue(0, last, length);
            queue.ReapAll();
            Claim.Equal(Math.Min(subject.Length - last, length), queue.Reads[0].Result, "a result of");
            queue.ClaimBytes(queue.Reads[0], CheckedDevice.ByteAt);
        }
    }

    public static void A_read_after_the_end_of_the_file_gives_nothing(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(1);
        queue.Enqueue(0, ((subject.Length / Block) + 1) * Block);
        queue.ReapAll();
        Claim.Equal(0, queue.Reads[0].Result, "a result of");
        queue.ClaimBytes(queue.Reads[0], CheckedDevice.ByteAt);
    }

    public static void A_misaligned_read_is_refused_or_served_where_any_alignment_works(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(2);
        foreach ((int offset, int length, int address) in ((int, int, int)[])[(1, 0, 0), (0, 1, 0), (0, 0, 1)])
        {
            CheckedRead read = queue.Prepare(0, (2 * Block) + offset, Block + length);
            read.Address += address;
            if (subject.Device.Alignment == 1)
            {
                Claim.That(queue.Queue.TryEnqueue(read), "a read of any alignment to be accepted");
                queue.ReapAll();
                Claim.Equal(Block + length, read.Result, "a result of");
                queue.ClaimBytes(read, CheckedDevice.ByteAt);
                continue;
            }

            Claim.Throws<ArgumentException>(() => queue.Queue.TryEnqueue(read), "a read that is not aligned");
            Claim.Equal(0, queue.Queue.InFlight, "reads in flight:");
            Claim.Equal(CheckedRead.Untouched, read.Result, "a result that nothing wrote to,");
        }
    }

    public static void A_read_out_of_range_is_refused(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(1);
        (long Offset, int Length, int Address)[] cases =
        [
            (-Block, Block, 0), (0, 0, 0), (0, -Block, 0), (long.MaxValue - Block + 1, 2 * Block, 0), (0, Block, -Block),
            (0, 3 * QueueUnderCheck.BufferLength, 0),
        ];
        foreach ((long offset, int length, int address) in cases)
        {
            CheckedRead read = queue.Prepare(0, offset, length);
            read.Address += address;
            Claim.Throws<ArgumentException>(
                () => queue.Queue.TryEnqueue(read), $"{length} bytes at {offset}, {address} bytes beside their buffer");
        }

        Claim.Equal(0, queue.Queue.Counters.Reads, "a count of reads of");
    }
}
