using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Collections.Records;
using VectorPipe.Collections.Writing;
using VectorPipe.Diagnostics;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe;

/// <content>Writes.</content>
public sealed partial class VectorCollection<TKey>
{
    /// <summary>Inserts a record, or replaces the one of its key as a whole.</summary>
    /// <typeparam name="T">The schema's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="key">The key.</param>
    /// <param name="vector">The vector, of the schema's dimension; it is copied. An array can be passed.</param>
    /// <param name="attributes">Attributes of the schema; null for none.</param>
    /// <param name="payload">Bytes that come back with the record, at most 1 MiB; copied.</param>
    /// <param name="cancellationToken">Checked before the write is accepted; then it will be made.</param>
    /// <returns>A task that ends when the write is acknowledged.</returns>
    /// <exception cref="InvalidVectorException">
    /// The vector has another type or dimension than the schema, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="InvalidRecordException">The key, an attribute or the payload is refused.</exception>
    /// <exception cref="IndexWriteException">
    /// The log cannot be written to. The write may be there after the next opening or not. Or nothing was written, because
    /// the disk is full, or because too much waits in memory while checkpoints and rebuilds fail; the message says so.
    /// </exception>
    /// <exception cref="IndexCorruptException">A page that tells what the write replaces is damaged; nothing was written.</exception>
    /// <exception cref="DeviceException">A read that tells what the write replaces failed; nothing was written.</exception>
    /// <exception cref="InvalidOperationException">The collection was opened for reading.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public Task UpsertAsync<T>(
        TKey key, ReadOnlySpan<T> vector, AttributeSet? attributes = null, ReadOnlySpan<byte> payload = default,
        CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        CollectionWriter writer = RequireWriter();
        cancellationToken.ThrowIfCancellationRequested();
        return Observed(writer.WriteAsync(new WriteRequest([Upsert(key, vector, attributes, payload)])), "upsert");
    }

    /// <inheritdoc cref="UpsertAsync{T}(TKey, ReadOnlySpan{T}, AttributeSet?, ReadOnlySpan{byte}, CancellationToken)"/>
    public Task UpsertAsync<T>(
        TKey key, ReadOnlyMemory<T> vector, AttributeSet? attributes = null, ReadOnlyMemory<byte> payload = default,
        CancellationToken cancellationToken = default)
        where T : unmanaged => UpsertAsync(key, vector.Span, attributes, payload.Span, cancellationToken);

    /// <summary>Deletes a record.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Checked before the write is accepted; then it will be made.</param>
    /// <returns>Whether there was one; when the task ends, the deletion is acknowledged.</returns>
    /// <exception cref="InvalidRecordException">The key is refused.</exception>
    /// <exception cref="IndexWriteException">
    /// The log cannot be written to. The write may be there after the next opening or not.
    /// </exception>
    /// <exception cref="IndexCorruptException">A page that tells what the write replaces is damaged; nothing was written.</exception>
    /// <exception cref="DeviceException">A read that tells what the write replaces failed; nothing was written.</exception>
    /// <exception cref="InvalidOperationException">The collection was opened for reading.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    public async Task<bool> DeleteAsync(TKey key, CancellationToken cancellationToken = default)
    {
        CollectionWriter writer = RequireWriter();
        cancellationToken.ThrowIfCancellationRequested();
        WriteOperation write = Delete(key);
        await Observed(writer.WriteAsync(new WriteRequest([write])), "delete").ConfigureAwait(false);
        return write.Existed;
    }

    /// <summary>Collects writes that are made together.</summary>
    public WriteBatch<TKey> CreateBatch() => new(this);

    /// <summary>Makes all writes of a batch, in their order: all of them are acknowledged, or none is made.</summary>
    /// <param name="batch">The batch, which may be written again or added to afterwards.</param>
    /// <param name="cancellationToken">Checked before the batch is accepted; then it will be written.</param>
    /// <exception cref="ArgumentException">The batch is of another collection.</exception>
    /// <exception cref="InvalidRecordException">The batch is longer than 4 MiB.</exception>
    /// <exception cref="IndexWriteException">
    /// The log cannot be written to. The batch may be there after the next opening or not. Or nothing was written, because
    /// it has insertions, and the disk is full or too much waits in memory while checkpoints and rebuilds fail; the message says so.
    /// </exception>
    /// <exception cref="IndexCorruptException">A page that tells what the write replaces is damaged; nothing was written.</exception>
    /// <exception cref="DeviceException">A read that tells what the write replaces failed; nothing was written.</exception>
    /// <exception cref="InvalidOperationException">The collection was opened for reading.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    public Task WriteAsync(WriteBatch<TKey> batch, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(batch);
        CollectionWriter writer = RequireWriter();
        if (batch.Owner != this)
            throw new ArgumentException("Expected a batch of this collection, found one of another.", nameof(batch));
        cancellationToken.ThrowIfCancellationRequested();
        var request = new WriteRequest(batch.Take());
        if (request.LogBytes > Storage.Log.LogWriter.MaxPayload)
            throw new InvalidRecordException(
                $"Expected a batch of at most {Storage.Log.LogWriter.MaxPayload} bytes, found {request.LogBytes}.");
        return request.Writes.Length == 0 ? Task.CompletedTask : Observed(writer.WriteAsync(request), "write", request.Writes.Length);
    }

    /// <summary>Returns when every write that was acknowledged before is on disk.</summary>
    /// <exception cref="IndexWriteException">The sync failed: the collection is read-only from here on.</exception>
    public Task FlushAsync(CancellationToken cancellationToken = default) => RequireWriter().FlushAsync().WaitAsync(cancellationToken);

    internal WriteOperation Upsert<T>(TKey key, ReadOnlySpan<T> vector, AttributeSet? attributes, ReadOnlySpan<byte> payload)
        where T : unmanaged
    {
        ulong home = HomeOf(key);
        Check(vector, "a vector");
        if (payload.Length > RecordBody.MaxPayloadBytes)
            throw new InvalidRecordException($"Expected a payload of at most {RecordBody.MaxPayloadBytes} bytes, found {payload.Length}.");
        byte[] bytes = BytesOf(key);
        byte[] body = RecordBody.Encode(bytes, _attributes.Encode(attributes), payload);
        return new WriteOperation(WriteKind.Upsert, home, bytes, MemoryMarshal.AsBytes(vector).ToArray(), body);
    }

    private Task Observed(Task write, string name, int? batch = null) =>
        Telemetry.IsListened ? Telemetry.ObserveAsync(write, name, this, batch) : write;

    internal WriteOperation Delete(TKey key) => new(WriteKind.Delete, HomeOf(key), BytesOf(key), [], []);

    private void Check<T>(ReadOnlySpan<T> vector, string what)
        where T : unmanaged
    {
        if (typeof(T) != typeof(float) && typeof(T) != typeof(Half) && typeof(T) != typeof(byte) && typeof(T) != typeof(sbyte))
            throw new InvalidVectorException($"Expected {what} of {Schema.ElementType}, found {typeof(T).Name}.");
        if (VectorElementTypes.Of<T>() != Schema.ElementType)
            throw new InvalidVectorException(
                $"Expected {what} of {Schema.ElementType}, as the schema says, found {VectorElementTypes.Of<T>()}.");
        if (vector.Length != Schema.Dimension)
            throw new InvalidVectorException($"Expected {what} of {Schema.Dimension} components, found {vector.Length}.");
        if (VectorConversion.FindDefect(Schema.Metric, Schema.ElementType, MemoryMarshal.AsBytes(vector)) is { } defect)
            throw new InvalidVectorException($"Refused {what}: {defect}.");
    }
}
