namespace VectorPipe.Building.Shuffling;

/// <summary>What a shuffle has written.</summary>
/// <param name="RowBytes">Bytes of a row.</param>
/// <param name="RowCount">Rows.</param>
/// <param name="GroupCount">Flush groups: so many ranges a partition has.</param>
/// <param name="PartitionRows">Rows of each partition.</param>
internal sealed record ShuffledLayout(int RowBytes, long RowCount, int GroupCount, long[] PartitionRows);
