namespace VectorPipe.Storage.Log;

/// <summary>A place between two groups of a log.</summary>
/// <param name="Segment">Number of the segment, from 1.</param>
/// <param name="Block">Block of the segment at which the next group begins, from 0.</param>
/// <param name="Group">Number of the last group before the place; 0 before the first one.</param>
/// <param name="Checksum">Checksum of the last block before the place; 0 before the first one.</param>
internal readonly record struct LogPosition(uint Segment, int Block, ulong Group, uint Checksum)
{
    /// <summary>The beginning of a new log.</summary>
    public static LogPosition Start => new(1, 0, 0, 0);
}
