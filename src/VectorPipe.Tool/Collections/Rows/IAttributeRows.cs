namespace VectorPipe.Tool.Collections.Rows;

/// <summary>The attributes of vectors, row by row. Not thread-safe.</summary>
internal interface IAttributeRows : IAsyncDisposable
{
    /// <summary>Reads the attributes of the next vector.</summary>
    /// <returns>The attributes, and about the bytes that they take.</returns>
    /// <exception cref="UsageException">They do not fit the schema, or there are none left.</exception>
    ValueTask<(AttributeSet Attributes, int Bytes)> NextAsync(CancellationToken cancellationToken);

    /// <summary>Refuses attributes beyond those of the last vector.</summary>
    ValueTask RequireEndAsync(CancellationToken cancellationToken);
}
