using VectorPipe.Cluster.Log;

namespace VectorPipe.Cluster.Replicas;

/// <summary>What a replica keeps of its shard on this node.</summary>
/// <remarks>
/// A process that ends without warning may have kept more than it saved, never less. So records may be applied again, in order: what an
/// element has from a later position stays. Records of different elements may be applied at the same time.
/// </remarks>
internal interface IShardStore
{
    /// <summary>The place up to which all is saved.</summary>
    LogPlace Saved { get; }

    /// <summary>Applies the record of a position.</summary>
    /// <returns>Whether it added the element, or found the one that it changed or removed.</returns>
    ValueTask<bool> ApplyAsync(long position, LogRecord record, CancellationToken cancellationToken);

    /// <summary>Begins to hash what is there, for the mark of a position; ends when later records may be applied.</summary>
    ValueTask MarkAsync(long position, CancellationToken cancellationToken);

    /// <summary>Saves all up to a place, which was applied.</summary>
    ValueTask SaveAsync(LogPlace place, CancellationToken cancellationToken);
}
