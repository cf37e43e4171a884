using System.Runtime.InteropServices;
using VectorPipe.Tool.Collections.Rows;

namespace VectorPipe.Tool.Collections;

/// <summary>Writes records in batches, one batch after another. Not thread-safe.</summary>
internal sealed class RecordWriter<TKey>(VectorCollection<TKey> collection)
    where TKey : notnull
{
    // A batch is a part of a group of the log; with the largest record it stays below the 4 MiB of a batch.
    private const int BatchBytes = 1 << 20;
    private const int BatchRecords = 1024;

    private readonly WriteBatch<TKey> _batch = collection.CreateBatch();
    private long _bytes;

    /// <summary>Records that were acknowledged.</summary>
    public long Written { get; private set; }

    /// <summary>Adds a record, and writes the batch when it is full.</summary>
    /// <exception cref="UsageException">The collection refuses the record.</exception>
    public async ValueTask AddAsync(RecordRow<TKey> row, CancellationToken cancellationToken)
    {
        try
        {
            Add(row.Key, row.Vector.Span, row.Attributes, row.Payload.Span);
        }
        catch (Exception e) when (e is InvalidRecordException or InvalidVectorException)
        {
            throw new UsageException($"{row.Place}: {e.Message}", e);
        }

        _bytes += row.Vector.Length + row.Payload.Length + row.ExtraBytes;
        if (_bytes >= BatchBytes || _batch.Count >= BatchRecords)
            await FlushAsync(cancellationToken);
    }

    /// <summary>Writes what was added.</summary>
    public async Task FlushAsync(CancellationToken cancellationToken)
    {
        int count = _batch.Count;
        await collection.WriteAsync(_batch, cancellationToken);
        _batch.Clear();
        _bytes = 0;
        Written += count;
    }

    private void Add(TKey key, ReadOnlySpan<byte> vector, AttributeSet? attributes, ReadOnlySpan<byte> payload)
    {
        switch (collection.Schema.ElementType)
        {
            case VectorElementType.Float32:
                _batch.Upsert(key, MemoryMarshal.Cast<byte, float>(vector), attributes, payload);
                break;
            case VectorElementType.Float16:
                _batch.Upsert(key, MemoryMarshal.Cast<byte, Half>(vector), attributes, payload);
                break;
            case VectorElementType.UInt8:
                _batch.Upsert(key, vector, attributes, payload);
                break;
            default:
                _batch.Upsert(key, MemoryMarshal.Cast<byte, sbyte>(vector), attributes, payload);
                break;
        }
    }
}
