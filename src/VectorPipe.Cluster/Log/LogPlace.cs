using System.Numerics;

namespace VectorPipe.Cluster.Log;

/// <summary>A place between two batches of a log.</summary>
/// <param name="Position">Position of the last record before it; 0 for the beginning.</param>
/// <param name="Chain">Follows from all batches before it: replicas at the same place have applied the same records.</param>
internal readonly record struct LogPlace(long Position, long Chain)
{
    /// <summary>The place behind the next batch.</summary>
    /// <param name="records">Records of the batch.</param>
    /// <param name="checksum">The checksum of its bytes.</param>
    public LogPlace Behind(int records, long checksum) =>
        new(Position + records, unchecked((long)BitOperations.RotateLeft((ulong)Chain, 1) ^ checksum));

    /// <summary>A place of the same position to which no log leads: of a replica that has something else than its log.</summary>
    public LogPlace Beside() => this with { Chain = ~Chain };
}
