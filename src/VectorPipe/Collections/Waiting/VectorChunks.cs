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
        MemoryMarshal.Write(chunk.AsSpan((rowsPerChunk * vectorBytes) + (at * sizeof(int))), entry);
        return _added++;
    }

    /// <summary>Lets readers see all rows that were added.</summary>
    public void Publish() => Volatile.Write(ref _published, _added);

    /// <summary>Computes the distances of published rows that lie together.</summary>
    /// <param name="exact">Distances of the query.</param>
    /// <param name="first">The first of the rows.</param>
    /// <param name="count">How many are wanted, at least one.</param>
    /// <param name="distances">Room for them, as far as they are not more than <see cref="RowsTogether"/>.</param>
    /// <returns>Of each row whose distance was computed, at least one, the number of the write that it belongs to.</returns>
    public ReadOnlySpan<int> Compute(QueryDistance exact, int first, int count, scoped Span<float> distances)
    {
        int at = first % rowsPerChunk;
        count = Math.Min(Math.Min(count, RowsTogether), rowsPerChunk - at);
        byte[] chunk = ChunkOf(first);
        fixed (byte* vectors = chunk)
            exact.ComputeStrided(vectors + (nint)at * vectorBytes, vectorBytes, count, distances);
        return MemoryMarshal.Cast<byte, int>(chunk.AsSpan(rowsPerChunk * vectorBytes)).Slice(at, count);
    }

    /// <summary>Computes the distances of the first rows, as many as are published and fit.</summary>
    public void ComputeFirst(QueryDistance exact, Span<float> distances)
    {
        int count = Math.Min(Count, distances.Length);
        for (int row = 0; row < count;)
            row += Compute(exact, row, count - row, distances[row..]).Length;
    }

    private byte[] ChunkOf(int row) => Volatile.Read(ref _chunks)[row / rowsPerChunk];
}
