using VectorPipe.Numerics.Distances;

namespace VectorPipe.Collections.Waiting;

/// <summary>Vectors in memory that are scored one after another. They never move.</summary>
/// <remarks>One thread adds; others see the rows that were published.</remarks>
/// <param name="vectorBytes">Bytes of a vector.</param>
internal sealed unsafe class VectorChunks(int vectorBytes)
{
    /// <summary>Most distances that <see cref="Compute"/> computes at once.</summary>
    public const int RowsTogether = 256;

    // Of a thousand collections, each may have a few writes that wait.
    private const int ChunkBytes = 1 << 15;

    private readonly int _rowsPerChunk = Math.Clamp(ChunkBytes / vectorBytes, 1, 1 << 12);
    private Chunk[] _chunks = [];
    private int _added;
    private int _published;

    /// <summary>Published rows.</summary>
    public int Count => Volatile.Read(ref _published);

    public long Bytes => (long)_chunks.Length * _rowsPerChunk * (vectorBytes + sizeof(int));

    /// <summary>The vector of a row.</summary>
    public ReadOnlyMemory<byte> this[int row]
    {
        get
        {
            Chunk[] chunks = Volatile.Read(ref _chunks);
            return chunks[row / _rowsPerChunk].Vectors.AsMemory(row % _rowsPerChunk * vectorBytes, vectorBytes);
        }
    }

    /// <summary>Adds a vector, which readers see after <see cref="Publish"/>.</summary>
    /// <param name="vector">The vector.</param>
    /// <param name="entry">Number of the write that it belongs to.</param>
    /// <returns>Its row.</returns>
    public int Add(ReadOnlySpan<byte> vector, int entry)
    {
        if (_added == _chunks.Length * _rowsPerChunk)
        {
            byte[] vectors = GC.AllocateUninitializedArray<byte>(_rowsPerChunk * vectorBytes);
            Volatile.Write(ref _chunks, [.. _chunks, new Chunk(vectors, new int[_rowsPerChunk])]);
        }

        Chunk chunk = _chunks[_added / _rowsPerChunk];
        int at = _added % _rowsPerChunk;
        vector.CopyTo(chunk.Vectors.AsSpan(at * vectorBytes, vectorBytes));
        chunk.Entries[at] = entry;
        return _added++;
    }

    /// <summary>Lets readers see all rows that were added.</summary>
    public void Publish() => Volatile.Write(ref _published, _added);

    /// <summary>Number of the write that a row belongs to.</summary>
    public int EntryOf(int row)
    {
        Chunk[] chunks = Volatile.Read(ref _chunks);
        return chunks[row / _rowsPerChunk].Entries[row % _rowsPerChunk];
    }

    /// <summary>Computes the distances of rows that lie together.</summary>
    /// <returns>How many: at least one, at most <see cref="RowsTogether"/>.</returns>
    public int Compute(QueryDistance exact, int first, int count, Span<float> distances)
    {
        Chunk[] chunks = Volatile.Read(ref _chunks);
        int at = first % _rowsPerChunk;
        count = Math.Min(Math.Min(count, RowsTogether), _rowsPerChunk - at);
        fixed (byte* vectors = chunks[first / _rowsPerChunk].Vectors)
            exact.ComputeStrided(vectors + (nint)at * vectorBytes, vectorBytes, count, distances);
        return count;
    }

    private sealed record Chunk(byte[] Vectors, int[] Entries);
}
