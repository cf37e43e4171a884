using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Collections.Writing;

namespace VectorPipe;

/// <summary>Writes of a collection that are made together, see <see cref="VectorCollection{TKey}.WriteAsync"/>.</summary>
/// <remarks>Not thread-safe. Later writes of a batch come after earlier ones: of two with the same key, the later one wins.</remarks>
/// <typeparam name="TKey">The type of the keys.</typeparam>
public sealed class WriteBatch<TKey>
    where TKey : notnull
{
    private readonly List<WriteOperation> _writes = [];

    internal WriteBatch(VectorCollection<TKey> owner) => Owner = owner;

    /// <summary>Writes in the batch.</summary>
    public int Count => _writes.Count;

    /// <summary>Bytes of the batch; at most 4 MiB are written together.</summary>
    public long Bytes { get; private set; }

    internal VectorCollection<TKey> Owner { get; }

    /// <summary>Adds the insertion or replacement of a record.</summary>
    /// <typeparam name="T">The schema's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="key">The key.</param>
    /// <param name="vector">The vector, of the schema's dimension; it is copied. An array can be passed.</param>
    /// <param name="attributes">Attributes of the schema; null for none.</param>
    /// <param name="payload">Bytes that come back with the record, at most 1 MiB; copied.</param>
    /// <exception cref="InvalidVectorException">
    /// The vector has another type or dimension than the schema, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="InvalidRecordException">The key, an attribute or the payload is refused.</exception>
    [OverloadResolutionPriority(1)]
    public void Upsert<T>(TKey key, ReadOnlySpan<T> vector, AttributeSet? attributes = null, ReadOnlySpan<byte> payload = default)
        where T : unmanaged => Add(Owner.Upsert(key, vector, attributes, payload));

    /// <inheritdoc cref="Upsert{T}(TKey, ReadOnlySpan{T}, AttributeSet?, ReadOnlySpan{byte})"/>
    public void Upsert<T>(TKey key, ReadOnlyMemory<T> vector, AttributeSet? attributes = null, ReadOnlyMemory<byte> payload = default)
        where T : unmanaged => Upsert(key, vector.Span, attributes, payload.Span);

    /// <summary>Adds a deletion; of a record that is not there it changes nothing.</summary>
    /// <param name="key">The key.</param>
    /// <exception cref="InvalidRecordException">The key is refused.</exception>
    public void Delete(TKey key) => Add(Owner.Delete(key));

    /// <summary>Takes out all writes.</summary>
    public void Clear()
    {
        _writes.Clear();
        Bytes = 0;
    }

    /// <summary>The writes, for the writer alone: it notes in each what it met.</summary>
    internal WriteOperation[] Take()
    {
        AssertInvariants();
        return [.. _writes.Select(write => write.Copy())];
    }

    private void Add(WriteOperation write)
    {
        _writes.Add(write);
        Bytes += write.LogBytes;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants() => Debug.Assert(
        Bytes == _writes.Sum(write => (long)write.LogBytes), "the bytes are those of the writes");
}
