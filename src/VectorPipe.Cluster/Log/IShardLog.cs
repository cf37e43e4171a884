namespace VectorPipe.Cluster.Log;

/// <summary>The ordered, durable log of each shard. Thread-safe.</summary>
/// <remarks>
/// A batch that was acknowledged stays. Batches become visible in the order of their positions: whoever reads up to a position has read
/// all that is before it.
/// </remarks>
internal interface IShardLog
{
    /// <summary>Writes a batch behind all others of a shard. The same batch, written again, has the position of the first time.</summary>
    /// <returns>Position of its first record; null if there is no such shard.</returns>
    /// <exception cref="LogUnavailableException">It was not written.</exception>
    /// <exception cref="LogOutcomeUnknownException">It may have been written, or may be yet; to write it again tells.</exception>
    Task<long?> AppendAsync(long shard, LogBatch batch, CancellationToken cancellationToken);

    /// <summary>Batches behind a position, in order.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="after">The last position that is known.</param>
    /// <param name="mostBytes">About as many bytes; one batch at least, if there is any.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <exception cref="LogUnavailableException">The log cannot be reached.</exception>
    /// <exception cref="LogDamagedException">A position is missing, or bytes are others than those that were written.</exception>
    Task<IReadOnlyList<LogEntry>> ReadAsync(long shard, long after, int mostBytes, CancellationToken cancellationToken);

    /// <summary>The last position of each shard; those that are gone are left out.</summary>
    /// <exception cref="LogUnavailableException">The log cannot be reached.</exception>
    Task<IReadOnlyDictionary<long, long>> HeadsAsync(IReadOnlyCollection<long> shards, CancellationToken cancellationToken);
}
