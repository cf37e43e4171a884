using VectorPipe.Model.Errors;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.Shuffling;

/// <summary>Shape and memory of a shuffle.</summary>
/// <param name="RowBytes">Bytes of a row: 1 or more.</param>
/// <param name="PartitionCount">Partitions: 1 or more.</param>
/// <param name="MemoryBytes">
/// Bytes for the rows of a flush group and their 8 bytes each of bookkeeping; at least a row is held, whatever this says. More memory
/// means fewer groups, and so fewer and longer reads of a partition.
/// </param>
/// <param name="ExpectedRows">Rows that will come, to reserve room for them; 0 if that is not known.</param>
internal sealed record ShuffleOptions(int RowBytes, int PartitionCount, long MemoryBytes, long ExpectedRows = 0)
{
    /// <summary>Bytes of bookkeeping a row: its partition, and its place in the sorted order.</summary>
    public const int BookkeepingBytes = 2 * sizeof(uint);

    // Half of what a length can say: checksums and the end of a file come on top.
    private const long MostFileBytes = long.MaxValue / 2;

    /// <summary>Rows of a flush group.</summary>
    public int RowsPerGroup => (int)Math.Clamp(MemoryBytes / ((long)RowBytes + BookkeepingBytes), 1, Array.MaxLength);

    /// <summary>Bytes of the rows that will come.</summary>
    public long ExpectedDataBytes => ExpectedRows * RowBytes;

    /// <summary>Bytes of the offsets of their flush groups.</summary>
    public long ExpectedOffsetBytes => ExpectedGroups * PartitionCount * sizeof(long);

    /// <summary>Bytes of both files when all of them have come.</summary>
    public long ExpectedFileBytes => ScratchFormat.FileLength(ExpectedDataBytes) + ScratchFormat.FileLength(ExpectedOffsetBytes);

    private long ExpectedGroups => ExpectedRows == 0 ? 0 : (ExpectedRows - 1) / RowsPerGroup + 1;

    /// <summary>The options, checked.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public ShuffleOptions Validated()
    {
        Require.That(RowBytes >= 1, nameof(RowBytes), RowBytes, "1 or more");
        Require.That(PartitionCount >= 1, nameof(PartitionCount), PartitionCount, "1 or more");
        Require.That(MemoryBytes >= 1, nameof(MemoryBytes), MemoryBytes, "1 or more");
        Require.That(ExpectedRows >= 0, nameof(ExpectedRows), ExpectedRows, "0 or more");
        Require.That(
            ExpectedRows <= MostFileBytes / RowBytes, nameof(ExpectedRows), ExpectedRows,
            $"at most {MostFileBytes / RowBytes} rows of {RowBytes} bytes: a file has no more than {MostFileBytes} bytes");
        long mostGroups = MostFileBytes / sizeof(long) / PartitionCount;
        Require.That(
            ExpectedGroups <= mostGroups, nameof(ExpectedRows), ExpectedRows,
            $"at most {mostGroups} groups of {RowsPerGroup} rows, with {PartitionCount} offsets each: a file has no more than "
            + $"{MostFileBytes} bytes");
        return this;
    }
}
