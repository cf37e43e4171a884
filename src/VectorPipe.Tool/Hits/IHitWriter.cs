namespace VectorPipe.Tool.Hits;

/// <summary>Takes the hits of queries, one query after another. Not thread-safe.</summary>
internal interface IHitWriter<TKey> : IAsyncDisposable
    where TKey : notnull
{
    /// <summary>Writes the hits of the next query, nearest first.</summary>
    /// <exception cref="UsageException">The format cannot hold a key.</exception>
    ValueTask WriteAsync(int query, IReadOnlyList<KeyHit<TKey>> hits, CancellationToken cancellationToken);

    /// <summary>Completes the output: without it, a file does not come to be.</summary>
    Task CompleteAsync(CancellationToken cancellationToken);
}
