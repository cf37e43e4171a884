using System.Diagnostics;

namespace VectorPipe.Cluster.Replicas;

/// <summary>What a replica holds at a position of the log, as a hash: replicas of a shard have the same at the same position.</summary>
/// <param name="Position">The position; if less than 0, its negation is one up to which nothing will be said.</param>
/// <param name="Value">The sum of a hash of each element with its vector, attributes and the position that wrote it.</param>
internal readonly record struct ReplicaDigest(long Position, long Value)
{
    /// <summary>Says that what a replica held at marks up to a position is not known, and will not be.</summary>
    /// <param name="position">The position, 1 or more.</param>
    public static ReplicaDigest Unknown(long position)
    {
        Debug.Assert(position > 0, "at the beginning of the log a replica holds nothing");
        return new(-position, 0);
    }

    /// <summary>Whether it says that of a mark.</summary>
    public bool IsUnknownAt(long mark) => mark <= -Position;
}
