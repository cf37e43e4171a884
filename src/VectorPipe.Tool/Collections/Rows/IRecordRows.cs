namespace VectorPipe.Tool.Collections.Rows;

/// <summary>Records to write, one after another. Not thread-safe.</summary>
internal interface IRecordRows<TKey> : IAsyncDisposable
    where TKey : notnull
{
    /// <summary>Number of records; null if only the end tells.</summary>
    long? Count { get; }

    /// <summary>Reads the next record; null at the end.</summary>
    /// <exception cref="UsageException">It is not what it should be.</exception>
    ValueTask<RecordRow<TKey>?> NextAsync(CancellationToken cancellationToken);
}
