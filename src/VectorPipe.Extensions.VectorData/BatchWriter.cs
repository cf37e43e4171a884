namespace VectorPipe.Extensions.VectorData;

/// <summary>Gathers writes into batches that are as long as a collection takes: all of one are made, or none.</summary>
/// <remarks>Not thread-safe. Each write is checked when it is added. What is added and not flushed is not written.</remarks>
internal sealed class BatchWriter<TKey>(VectorCollection<TKey> collection)
    where TKey : notnull
{
    // The limit of VectorCollection<TKey>.WriteAsync.
    private const long MostBytes = 4 << 20;

    private readonly WriteBatch<TKey> _batch = collection.CreateBatch();

    // Measures a write before it joins the others.
    private readonly WriteBatch<TKey> _one = collection.CreateBatch();

    /// <summary>Adds a record; first writes what was added, if there is no room left beside it.</summary>
    public async ValueTask UpsertAsync(
        TKey key, ReadOnlyMemory<float> vector, AttributeSet? attributes, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        _one.Clear();
        _one.Upsert(key, vector, attributes, payload);
        await MakeRoomAsync(cancellationToken).ConfigureAwait(false);
        _batch.Upsert(key, vector, attributes, payload);
    }

    /// <summary>Adds a deletion; first writes what was added, if there is no room left beside it.</summary>
    public async ValueTask DeleteAsync(TKey key, CancellationToken cancellationToken)
    {
        _one.Clear();
        _one.Delete(key);
        await MakeRoomAsync(cancellationToken).ConfigureAwait(false);
        _batch.Delete(key);
    }

    /// <summary>Writes what was added.</summary>
    public async Task FlushAsync(CancellationToken cancellationToken)
    {
        await collection.WriteAsync(_batch, cancellationToken).ConfigureAwait(false);
        _batch.Clear();
    }

    private async ValueTask MakeRoomAsync(CancellationToken cancellationToken)
    {
        if (_batch.Bytes + _one.Bytes > MostBytes)
            await FlushAsync(cancellationToken).ConfigureAwait(false);
    }
}
