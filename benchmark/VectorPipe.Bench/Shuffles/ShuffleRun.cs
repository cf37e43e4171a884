using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Devices.Native;
using VectorPipe.Measuring.Data;
using VectorPipe.Storage.Files;

namespace VectorPipe.Bench.Shuffles;

/// <summary>Shuffles generated rows, reads them back, and compares both.</summary>
internal static unsafe class ShuffleRun
{
    private const int RowsPerCall = 8192;

    /// <exception cref="IndexCorruptException">The rows read differ from the rows added.</exception>
    public static ShuffleResultRow Measure(
        ShuffleBenchArguments arguments, int batchMb, string folder, ILogger logger, CancellationToken cancellationToken)
    {
        var paths = new ShufflePaths(Path.Combine(folder, "shuffle-rows.tmp"), Path.Combine(folder, "shuffle-offsets.tmp"));
        paths.Delete(FileStorageIo.Instance);
        byte[] rows = new byte[RowsPerCall * arguments.RowBytes];
        uint[] partitions = new uint[RowsPerCall];
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
#pragma warning disable RS0030 // A measurement of memory must not reuse the garbage of earlier runs.
        GC.Collect();
#pragma warning restore RS0030
        long? before = PeakMemory.Reset();

        long start = Stopwatch.GetTimestamp();
        ulong expected = 0;
        ShuffledLayout layout;
        var options = new ShuffleOptions(arguments.RowBytes, arguments.Partitions, (long)batchMb << 20, arguments.Rows);
        using (var shuffler = new PartitionShuffler(options, paths, FileStorageIo.Instance))
        {
            var random = new SplitMix64(arguments.Seed);
            for (long first = 0; first < arguments.Rows; first += RowsPerCall)
            {
                cancellationToken.ThrowIfCancellationRequested();
                int count = (int)Math.Min(RowsPerCall, arguments.Rows - first);
                Fill(rows, partitions, count, arguments, ref random);
                for (int i = 0; i < count; i++)
                    expected += Mix(rows.AsSpan(i * arguments.RowBytes, arguments.RowBytes), partitions[i]);
                shuffler.Add(rows.AsSpan(0, count * arguments.RowBytes), partitions.AsSpan(0, count));
            }

            layout = shuffler.Complete();
        }

        double writeSeconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        long? overhead = PeakMemory.Read() - before;
        start = Stopwatch.GetTimestamp();
        ulong found = ReadBack(layout, paths, arguments, (long)batchMb << 20, logger, cancellationToken);
        if (found != expected)
            throw new IndexCorruptException(paths.Data, "expected the rows that were added to the shuffle; found others");
        return new ShuffleResultRow
        {
            BatchMb = batchMb,
            Rows = arguments.Rows,
            FlushGroups = layout.GroupCount,
            WriteSeconds = writeSeconds,
            ReadSeconds = Stopwatch.GetElapsedTime(start).TotalSeconds,
            CpuSeconds = (Environment.CpuUsage.TotalTime - cpu).TotalSeconds,
            WriteOverheadBytes = overhead,
        };
    }

    private static ulong ReadBack(
        ShuffledLayout layout, ShufflePaths paths, ShuffleBenchArguments arguments, long windowBytes, ILogger logger,
        CancellationToken cancellationToken)
    {
        using var shuffled = new ShuffledPartitions(layout, paths, arguments.ToDeviceOptions(), FileStorageIo.Instance, logger);
        long largest = 0;
        for (int p = 0; p < shuffled.Count; p++)
            largest = Math.Max(largest, shuffled.RowsOf(p) * shuffled.RowBytes);
        using var window = new NativeBuffer((nuint)Math.Max(windowBytes, largest));
        ulong sum = 0;
        for (int first = 0; first < shuffled.Count;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int end = shuffled.WindowEnd(first, windowBytes);
            shuffled.Read(first, end, window.Pointer, (long)window.Length);
            byte* row = window.Pointer;
            for (int p = first; p < end; p++)
            {
                for (long i = 0; i < shuffled.RowsOf(p); i++, row += shuffled.RowBytes)
                    sum += Mix(new ReadOnlySpan<byte>(row, shuffled.RowBytes), (uint)p);
            }

            first = end;
        }

        return sum;
    }

    private static void Fill(byte[] rows, uint[] partitions, int count, ShuffleBenchArguments arguments, ref SplitMix64 random)
    {
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(rows.AsSpan(0, count * arguments.RowBytes / sizeof(ulong) * sizeof(ulong)));
        foreach (ref ulong word in words)
            word = random.Next();
        for (int i = 0; i < count; i++)
            partitions[i] = (uint)Math.BigMul(random.Next(), (ulong)arguments.Partitions, out _);
    }

    // A hash of a row and its partition; sums of it do not depend on the order.
    private static ulong Mix(ReadOnlySpan<byte> row, uint partition) =>
        new SplitMix64(MemoryMarshal.Read<ulong>(row) ^ ((ulong)partition << 32) ^ row[^1]).Next();
}
