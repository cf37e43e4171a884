namespace VectorPipe.Building.Shuffling;

/// <summary>The shape of a complete shuffle.</summary>
/// <param name="RowBytes">Bytes of a row.</param>
/// <param name="RowCount">Rows.</param>
/// <param name="GroupCount">Flush groups, and so ranges of a partition.</param>
/// <param name="PartitionRows">Rows of each partition.</param>
internal sealed record ShuffledLayout(int RowBytes, long RowCount, int GroupCount, long[] PartitionRows);
