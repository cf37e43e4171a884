using System.Buffers.Binary;
using VectorPipe.Model;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>The bytes of a manifest's section on lists.</summary>
/// <remarks>Layout: docs/format.md#manifest.</remarks>
internal static class IvfSection
{
    public const int Size = 32;

    /// <summary>Writes the body: <see cref="Size"/> bytes.</summary>
    public static void Write(Span<byte> body, IvfShape lists)
    {
        BinaryPrimitives.WriteInt32LittleEndian(body, lists.Lists);
        BinaryPrimitives.WriteInt32LittleEndian(body[4..], lists.PageSize);
        BinaryPrimitives.WriteInt64LittleEndian(body[8..], lists.Pages);
        BinaryPrimitives.WriteInt32LittleEndian(body[16..], lists.Components);
        BinaryPrimitives.WriteInt32LittleEndian(body[20..], lists.Degree);
        BinaryPrimitives.WriteInt32LittleEndian(body[24..], lists.Entry);
        BinaryPrimitives.WriteUInt32LittleEndian(body[28..], (lists.IsCoded ? 1u : 0) | ((uint)(lists.Stored ?? 0) << 8));
    }

    /// <summary>Reads the body; call <see cref="Check"/> when the schema is known.</summary>
    /// <exception cref="IndexCorruptException">It is too short, or of an unknown kind.</exception>
    public static IvfShape Read(string path, ReadOnlySpan<byte> body)
    {
        if (body.Length < Size)
            throw new IndexCorruptException(path, $"expected a section of {Size} bytes for the lists, found {body.Length}");
        uint kind = BinaryPrimitives.ReadUInt32LittleEndian(body[28..]), stored = kind >> 8;
        ManifestCodec.Check(path, (kind & 255) <= 1 && stored is 0 or (uint)VectorElementType.Float16, "kind of lists", kind);
        return new IvfShape(
            BinaryPrimitives.ReadInt32LittleEndian(body),
            BinaryPrimitives.ReadInt64LittleEndian(body[8..]),
            BinaryPrimitives.ReadInt32LittleEndian(body[4..]),
            BinaryPrimitives.ReadInt32LittleEndian(body[16..]),
            BinaryPrimitives.ReadInt32LittleEndian(body[20..]),
            BinaryPrimitives.ReadInt32LittleEndian(body[24..]),
            (kind & 255) == 1)
        {
            Stored = stored == 0 ? null : (VectorElementType)stored,
        };
    }

    public static void Check(string path, IndexSchema schema, IvfShape lists)
    {
        Require(schema.CodeBytes > 0 || !lists.IsCoded, "code size", schema.CodeBytes);
        int components = schema.Metric == DistanceMetric.InnerProduct ? schema.Dimension + 1 : schema.Dimension;
        Require(schema.Merged is null, "kind of index: merged pages beside lists", lists.Lists);
        Require(lists.Lists > 0 && lists.Lists <= schema.Count, "number of lists", lists.Lists);
        Require(PageCodec.IsPageSize(lists.PageSize), "page size", lists.PageSize);
        Require(lists.Components == components, "number of components of a centroid", lists.Components);
        Require(lists.Degree is > 0 and <= IvfShape.MaxDegree, "degree of centroids", lists.Degree);
        Require(lists.Entry >= 0 && lists.Entry < lists.Lists, "centroid to enter at", lists.Entry);
        Require(lists.Pages > 0 && lists.Pages <= schema.Count, "number of pages", lists.Pages);
        Require(!lists.IsCoded || IvfShape.CodesPerPage(schema.CodeBytes) > 0, "code size", schema.CodeBytes);
        NodeLayout layout;
        try
        {
            layout = schema.CreateLayout();
        }
        catch (VectorPipeException e)
        {
            throw new IndexCorruptException($"{path}: {e.Message}", e);
        }

        Require(lists.Pages * layout.NodesPerPage <= SchemaLimits.MaxCount, "number of pages", lists.Pages);

        void Require(bool valid, string what, long value) => ManifestCodec.Check(path, valid, what, value);
    }
}
