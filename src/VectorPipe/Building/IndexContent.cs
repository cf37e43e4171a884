using System.Runtime.InteropServices;
using VectorPipe.Devices;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Storage;

namespace VectorPipe.Building;

/// <summary>Everything that the files of a built index say, as a number: what its identities are made of.</summary>
/// <remarks>
/// Not only what was put in: machines with other instructions, and several threads with <see cref="VamanaBuilder"/>, make other graphs and codes of the
/// same vectors, and files of two such indexes must not pass for each other's.
/// </remarks>
internal static class IndexContent
{
    private const int BlockBytes = 1 << 20;
    private const int BlockRows = 1 << 12;

    /// <summary>Hashes an index.</summary>
    /// <param name="schema">What it holds and how it was built.</param>
    /// <param name="vectors">Stored vectors by point, one after another.</param>
    /// <param name="keys">Keys by point.</param>
    /// <param name="quantizer">What made the codes.</param>
    /// <param name="codes">Codes by point, one after another.</param>
    /// <param name="graph">Links by point.</param>
    /// <param name="order">Position (internal id) to point.</param>
    /// <param name="cancellationToken">Observed a few thousand times a second.</param>
    public static ulong Hash(
        IndexSchema schema, NativeBuffer vectors, ulong[] keys, ProductQuantizer quantizer, NativeBuffer codes, Graph graph, int[] order, CancellationToken cancellationToken)
    {
        var hash = new ContentHash();
        Add(ref hash, schema);
        Add(ref hash, vectors, cancellationToken);
        Add<ulong>(ref hash, keys, cancellationToken);
        hash.Add(MemoryMarshal.AsBytes(quantizer.ChunkOffsets));
        hash.Add(MemoryMarshal.AsBytes(quantizer.Mean));
        hash.Add(MemoryMarshal.AsBytes(quantizer.Centroids));
        Add(ref hash, codes, cancellationToken);
        Add(ref hash, graph, cancellationToken);
        Add<int>(ref hash, order, cancellationToken);
        return hash.Value;
    }

    private static void Add(ref ContentHash hash, IndexSchema schema)
    {
        hash.Add(((ulong)schema.Metric << 32) | (uint)schema.ElementType);
        hash.Add(((ulong)schema.Dimension << 32) | (uint)schema.CodeBytes);
        hash.Add(((ulong)schema.MaxDegree << 32) | (uint)schema.BuildListSize);
        hash.Add(((ulong)BitConverter.SingleToUInt32Bits(schema.Alpha) << 32) | BitConverter.SingleToUInt32Bits(schema.MeanDegree));
        hash.Add((ulong)schema.Count);
        hash.Add((ulong)schema.EntryPoint);
        hash.Add(schema.Seed);
    }

    private static void Add(ref ContentHash hash, NativeBuffer bytes, CancellationToken cancellationToken)
    {
        for (nuint at = 0; at < bytes.Length; at += BlockBytes)
        {
            cancellationToken.ThrowIfCancellationRequested();
            hash.Add(bytes.Span(at, (int)nuint.Min(BlockBytes, bytes.Length - at)));
        }
    }

    private static void Add<T>(ref ContentHash hash, ReadOnlySpan<T> numbers, CancellationToken cancellationToken)
        where T : unmanaged
    {
        for (; numbers.Length > 0; numbers = numbers[Math.Min(BlockRows, numbers.Length)..])
        {
            cancellationToken.ThrowIfCancellationRequested();
            hash.Add(MemoryMarshal.AsBytes(numbers[..Math.Min(BlockRows, numbers.Length)]));
        }
    }

    private static void Add(ref ContentHash hash, Graph graph, CancellationToken cancellationToken)
    {
        for (int point = 0; point < graph.Count; point++)
        {
            if (point % BlockRows == 0)
                cancellationToken.ThrowIfCancellationRequested();
            hash.Add(MemoryMarshal.AsBytes(graph.Links(point)));
        }
    }
}
