using System.Buffers.Binary;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Building.Shuffling;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Shuffling;

/// <summary>Shuffles rows whose bytes encode their number, and reads them back.</summary>
internal sealed unsafe class ShuffleHarness(int rowBytes, int partitionCount, long memoryBytes) : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public string[] FileNames => _folder.FileNames;

    public ShufflePaths Paths => new(_folder.File("rows.tmp"), _folder.File("offsets.tmp"));

    public PartitionShuffler Open(IStorageIo? io = null, long expectedRows = 0) =>
        new(new ShuffleOptions(rowBytes, partitionCount, memoryBytes, expectedRows), Paths, io ?? FileStorageIo.Instance);

    public ShuffledLayout Write(uint[] partitions, int rowsPerCall, IStorageIo? io = null)
    {
        using PartitionShuffler shuffler = Open(io);
        for (int first = 0; first < partitions.Length; first += rowsPerCall)
        {
            int count = Math.Min(rowsPerCall, partitions.Length - first);
            shuffler.Add(Rows(first, count), partitions.AsSpan(first, count));
        }

        return shuffler.Complete();
    }

    public ShuffledPartitions Read(ShuffledLayout layout, DeviceKind kind = DeviceKind.Portable, ShuffleTraffic? traffic = null) =>
        new(layout, Paths, new DeviceOptions { Kind = kind }, FileStorageIo.Instance, NullLogger.Instance, traffic: traffic);

    /// <summary>Numbers of the rows of every partition, in the order of reading with windows of the given size.</summary>
    public List<long>[] ReadAll(ShuffledPartitions partitions, long windowBytes)
    {
        var rows = new List<long>[partitions.Count];
        for (int first = 0; first < partitions.Count;)
        {
            int end = partitions.WindowEnd(first, windowBytes);
            byte[] bytes = new byte[Math.Max(1, partitions.RowsOf(first, end) * rowBytes)];
            fixed (byte* start = bytes)
                partitions.Read(first, end, start, partitions.RowsOf(first, end) * rowBytes);
            int at = 0;
            for (int p = first; p < end; p++)
            {
                rows[p] = [];
                for (long i = 0; i < partitions.RowsOf(p); i++, at += rowBytes)
                    rows[p].Add(NumberOf(bytes.AsSpan(at, rowBytes)));
            }

            first = end;
        }

        return rows;
    }

    /// <summary>Rows that hold their number in the first bytes and repeat it to the end.</summary>
    public byte[] Rows(int first, int count)
    {
        byte[] rows = new byte[count * rowBytes];
        for (int i = 0; i < count; i++)
        {
            for (int b = 0; b < rowBytes; b++)
                rows[i * rowBytes + b] = (byte)((first + i) >> (b % 4 * 8));
        }

        return rows;
    }

    public void Dispose() => _folder.Dispose();

    private static long NumberOf(ReadOnlySpan<byte> row)
    {
        int number = BinaryPrimitives.ReadInt32LittleEndian(row);
        for (int b = 4; b < row.Length; b++)
        {
            if (row[b] != (byte)(number >> (b % 4 * 8)))
                throw new InvalidOperationException($"row {number} was torn at byte {b}");
        }

        return number;
    }
}
