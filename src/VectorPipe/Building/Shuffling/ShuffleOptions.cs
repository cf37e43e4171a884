using VectorPipe.Model.Errors;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.Shuffling;

/// <summary>Shape and memory of a shuffle.</summary>
/// <param name="RowBytes">Bytes of a row: 1 or more.</param>
/// <param name="PartitionCount">Partitions: 1 or more.</param>
/// <param name="MemoryBytes">
/// Bytes for the rows of a flush group, with 8 bytes of bookkeeping each; at least one row is held. More memory means fewer groups, and so
/// fewer and longer reads of a partition.
/// </param>
/// <param name="ExpectedRows">Rows that will be added, to reserve room for them; 0 if unknown.</param>
internal sealed record ShuffleOptions(int RowBytes, int PartitionCount, long MemoryBytes, long ExpectedRows = 0)
{
    /// <summary>Bookkeeping per row: its partition, and its place in the sorted order.</summary>
    public const int BookkeepingBytes = 2 * sizeof(uint);

    // Half of the largest length, since checksums and a trailer come on top.
    private const long MostFileBytes = long.MaxValue / 2;

    /// <summary>Rows of a flush group.</summary>
    public int RowsPerGroup => (int)Math.Clamp(MemoryBytes / ((long)RowBytes + BookkeepingBytes), 1, Array.MaxLength);

    /// <summary>Bytes of the expected rows.</summary>
    public long ExpectedDataBytes => ExpectedRows * RowBytes;

    /// <summary>Bytes of the offsets of their flush groups.</summary>
    public long ExpectedOffsetBytes => ExpectedGroups * PartitionCount * sizeof(long);

    /// <summary>Bytes of both files, once all expected rows are in them.</summary>
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
