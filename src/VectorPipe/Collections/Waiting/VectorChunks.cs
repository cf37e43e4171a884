using System.Runtime.InteropServices;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Collections.Waiting;

/// <summary>Vectors in memory that are scored one after another. They never move.</summary>
/// <remarks>One thread adds; others see the rows that were published.</remarks>
/// <param name="vectorBytes">Bytes of a vector.</param>
/// <param name="rowsPerChunk">Vectors for which memory is taken at once.</param>
internal sealed unsafe class VectorChunks(int vectorBytes, int rowsPerChunk)
{
    /// <summary>Most distances that <see cref="Compute"/> computes at once.</summary>
    public const int RowsTogether = 256;

    // The header of an array, and the reference to it.
    private const int ChunkOverhead = 32;

    // The vectors of a chunk, and after them the number of the write that each belongs to.
    private byte[][] _chunks = [];
    private int _added;
    private int _published;

    /// <summary>Published rows.</summary>
    public int Count => Volatile.Read(ref _published);

    public long Bytes => (long)_chunks.Length * ((rowsPerChunk * (vectorBytes + sizeof(int))) + ChunkOverhead);

    /// <summary>The vector of a row.</summary>
    public ReadOnlyMemory<byte> this[int row] => ChunkOf(row).AsMemory(row % rowsPerChunk * vectorBytes, vectorBytes);

    /// <summary>Adds a vector, which readers see after <see cref="Publish"/>.</summary>
    /// <param name="vector">The vector.</param>
    /// <param name="entry">Number of the write that it belongs to.</param>
    /// <returns>Its row.</returns>
    public int Add(ReadOnlySpan<byte> vector, int entry)
    {
        if (_added == _chunks.Length * rowsPerChunk)
        {
            byte[] added = GC.AllocateUninitializedArray<byte>(rowsPerChunk * (vectorBytes + sizeof(int)));
            Volatile.Write(ref _chunks, [.. _chunks, added]);
        }

        byte[] chunk = ChunkOf(_added);
        int at = _added % rowsPerChunk;
        vector.CopyTo(chunk.AsSpan(at * vectorBytes, vectorBytes));
        MemoryMarshal.Write(EntryAt(chunk, at), entry);
        return _added++;
    }

    /// <summary>Lets readers see all rows that were added.</summary>
    public void Publish() => Volatile.Write(ref _published, _added);

    /// <summary>Number of the write that a row belongs to.</summary>
    public int EntryOf(int row) => MemoryMarshal.Read<int>(EntryAt(ChunkOf(row), row % rowsPerChunk));

    /// <summary>Computes the distances of rows that lie together.</summary>
    /// <returns>How many: at least one, at most <see cref="RowsTogether"/>.</returns>
    public int Compute(QueryDistance exact, int first, int count, Span<float> distances)
    {
        int at = first % rowsPerChunk;
        count = Math.Min(Math.Min(count, RowsTogether), rowsPerChunk - at);
        fixed (byte* vectors = ChunkOf(first))
            exact.ComputeStrided(vectors + (nint)at * vectorBytes, vectorBytes, count, distances);
        return count;
    }

    /// <summary>Computes the distances of the first rows, as many as are published and fit.</summary>
    /// <returns>How many.</returns>
    public int ComputeFirst(QueryDistance exact, Span<float> distances)
    {
        int count = Math.Min(Count, distances.Length);
        for (int row = 0; row < count;)
            row += Compute(exact, row, count - row, distances[row..]);
        return count;
    }

    private byte[] ChunkOf(int row) => Volatile.Read(ref _chunks)[row / rowsPerChunk];

    private Span<byte> EntryAt(byte[] chunk, int at) => chunk.AsSpan((rowsPerChunk * vectorBytes) + (at * sizeof(int)), sizeof(int));
}
