namespace VectorPipe.Cluster.Log;

/// <summary>The ordered, durable log of each shard. Thread-safe.</summary>
/// <remarks>
/// A batch that was acknowledged stays. Batches become visible in the order of their positions: whoever reads up to a position has read
/// all that is before it.
/// </remarks>
internal interface IShardLog
{
    /// <summary>Writes a batch behind all others of a shard. The same batch, written again, has the place of the first time.</summary>
    /// <returns>The place behind it; null if there is no such shard.</returns>
    /// <exception cref="LogUnavailableException">It was not written.</exception>
    /// <exception cref="LogOutcomeUnknownException">It may have been written, or may be yet; to write it again tells.</exception>
    /// <exception cref="LogTrimmedException">
    /// It was not written now, as records behind that position have been deleted: if it was sent before, it may be one of them.
    /// </exception>
    Task<LogPlace?> AppendAsync(long shard, LogBatch batch, CancellationToken cancellationToken);

    /// <summary>Batches behind a position, in order.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="after">The last position that is known.</param>
    /// <param name="mostBytes">About as many bytes; one batch at least, if there is any.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <exception cref="LogUnavailableException">The log cannot be reached.</exception>
    /// <exception cref="LogTrimmedException">The next position has been deleted.</exception>
    /// <exception cref="LogDamagedException">A position is missing, or bytes are others than those that were written.</exception>
    Task<IReadOnlyList<LogEntry>> ReadAsync(long shard, long after, int mostBytes, CancellationToken cancellationToken);

    /// <summary>The end of each log; those of shards that are gone are left out.</summary>
    /// <exception cref="LogUnavailableException">The log cannot be reached.</exception>
    Task<IReadOnlyDictionary<long, LogHead>> HeadsAsync(IReadOnlyCollection<long> shards, CancellationToken cancellationToken);

    /// <summary>Lets a log that has lost its end go on behind what a replica has.</summary>
    /// <param name="shard">The shard.</param>
    /// <param name="end">The end of the log as it is.</param>
    /// <param name="saved">The place that the replica has saved.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>The new end, which is the replica's place from now on; null if the log has another end by now.</returns>
    /// <exception cref="LogUnavailableException">The log cannot be reached.</exception>
    Task<LogPlace?> AdoptAsync(long shard, LogPlace end, LogPlace saved, CancellationToken cancellationToken);

    /// <summary>Deletes what no replica needs: two at least have it on the disk, and all of nodes that are not lost.</summary>
    /// <param name="lost">A node whose lease ended so long ago is lost: it gets what it misses from others.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>The number of batches that were deleted.</returns>
    /// <exception cref="LogUnavailableException">The log cannot be reached.</exception>
    Task<int> TrimAsync(TimeSpan lost, CancellationToken cancellationToken);

    /// <summary>Deletes the logs of shards that are gone.</summary>
    /// <exception cref="LogUnavailableException">The log cannot be reached.</exception>
    Task CleanAsync(CancellationToken cancellationToken);
}
