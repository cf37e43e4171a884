using VectorPipe.Diagnostics;
using VectorPipe.Storage;

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

    /// <summary>Rows of a flush group.</summary>
    public int RowsPerGroup => (int)Math.Clamp(MemoryBytes / ((long)RowBytes + BookkeepingBytes), 1, Array.MaxLength);

    /// <summary>Bytes of both files when as many rows as expected have come.</summary>
    public long FileBytes
    {
        get
        {
            long groups = (ExpectedRows + RowsPerGroup - 1) / RowsPerGroup;
            return ScratchFormat.FileLength(ExpectedRows * RowBytes) + ScratchFormat.FileLength(groups * PartitionCount * sizeof(long));
        }
    }

    /// <summary>The options, checked.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public ShuffleOptions Validated()
    {
        Require.That(RowBytes >= 1, nameof(RowBytes), RowBytes, "1 or more");
        Require.That(PartitionCount >= 1, nameof(PartitionCount), PartitionCount, "1 or more");
        Require.That(MemoryBytes >= 1, nameof(MemoryBytes), MemoryBytes, "1 or more");
        Require.That(ExpectedRows >= 0, nameof(ExpectedRows), ExpectedRows, "0 or more");
        return this;
    }
}
