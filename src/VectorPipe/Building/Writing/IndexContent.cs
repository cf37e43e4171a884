using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Quantization;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building.Writing;

/// <summary>The hash of all contents of a built index, from which its identity follows.</summary>
/// <remarks>
/// It covers the graph, not only the input: machines with other instructions build other graphs of the same vectors, and files of two such
/// indexes must not be mixed. Codes follow from vectors and code book, and are left out.
/// </remarks>
internal static class IndexContent
{
    /// <summary>Hashes a graph index; <paramref name="points"/> is the hash of vectors and keys, see <see cref="AddPoint"/>.</summary>
    public static ulong Hash(
        IndexSchema schema, ulong points, Quantizer quantizer, BuiltGraph graph, int[] order, PagedMemory? paging,
        CancellationToken cancellationToken)
    {
        ContentHash hash = Begin(schema, points, quantizer);
        using PageLease lease = PageLease.Rent(paging);
        foreach ((int first, int count) in graph.Links.Batches(lease, cancellationToken))
        {
            for (int row = first; row < first + count; row++)
            {
                hash.Add(((ulong)(uint)graph.PointOf(row) << 32) | (uint)graph.PointOf(order[row]));
                hash.Add(MemoryMarshal.AsBytes(graph.Links.Links(row)));
            }
        }

        return hash.Value;
    }

    /// <summary>Begins the hash of an index of any kind; without codes the quantizer is null.</summary>
    public static ContentHash Begin(IndexSchema schema, ulong points, Quantizer? quantizer)
    {
        var hash = new ContentHash();
        Add(ref hash, schema);
        hash.Add(points);
        if (quantizer is not null)
            hash.Add(QuantizerFormat.ToBytes(quantizer));
        return hash;
    }

    /// <summary>Adds a point, in the order of the source.</summary>
    public static void AddPoint(ref ContentHash hash, ReadOnlySpan<byte> vector, ulong key)
    {
        hash.Add(vector);
        hash.Add(key);
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
        if (schema.Merged is { } merged)
        {
            hash.Add(((ulong)merged.Owned << 32) | (uint)merged.Replicas);
            hash.Add(((ulong)merged.PageSize << 32) | (uint)merged.PageGraphBytes);
            hash.Add(((ulong)(merged.Stored ?? 0) << 32) | (uint)merged.Entries);
            if (merged.HasRoom(schema.Count))
                hash.Add(((ulong)merged.Fill << 32) | (uint)merged.Capacity);
        }

        if (schema.Lists is { } lists)
        {
            hash.Add(((ulong)lists.Lists << 32) | (uint)lists.PageSize);
            hash.Add(((ulong)(lists.Stored ?? 0) << 56) | (ulong)lists.Pages);
            hash.Add(((ulong)lists.Entry << 32) | (uint)lists.Degree);
        }
    }
}
