using System.Numerics;
using VectorPipe.Model;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>The division of a page of the merged layout, and its cost in memory.</summary>
/// <param name="Owned">Nodes of a page, at least 1.</param>
/// <param name="Replicas">Replicas of a page, 0 or more.</param>
/// <param name="PageSize">Bytes of a page: a multiple of <see cref="PageCodec.PageUnit"/>.</param>
/// <param name="PageGraphBytes">Bytes of a page's links in the page graph, in memory; 0 for none.</param>
/// <param name="Entries">Entry points.</param>
internal sealed record MergedPageLayout(int Owned, int Replicas, int PageSize, int PageGraphBytes, int Entries) : IIndexShape
{
    /// <summary>The most entry points: each costs every query a code distance.</summary>
    public const int MaxEntries = 65_536;

    /// <summary>Type of the components in pages if it differs from that of the original vectors (Float16 for Float32); else null.</summary>
    public VectorElementType? Stored { get; init; }

    public GapCode Links { get; init; } = GapCode.Uniform;

    /// <summary>Nodes that a build places into each page but the last, 1 to <see cref="Owned"/>; slots behind them are free.</summary>
    public int Fill { get; init; } = Owned;

    /// <summary>Links may lead to internal ids below this: at least the count of ids, more if nodes may be added.</summary>
    public required long Capacity { get; init; }

    /// <summary>Bytes of the page graph's file: entry points, a block per page, and padding for the reader of the last block.</summary>
    public long StreamLength(long pages) => (long)Entries * sizeof(uint) + pages * PageGraphBytes + EliasFanoCode.Padding;

    public NodeLayout CreateLayout(IndexSchema schema) => CreateLayout(schema.ElementType, schema.Dimension);

    public NodeLayout CreateLayout(VectorElementType elementType, int dimension) =>
        NodeLayout.OfMergedPages(Stored ?? elementType, dimension, Owned, Replicas, PageSize, Links, Fill);

    public long NodePages(IndexSchema schema) => PageCount(schema.Count);

    public long IdCount(IndexSchema schema) => IdCount(schema.Count);

    /// <summary>Pages of a number of nodes.</summary>
    public long PageCount(long count) => (count + Fill - 1) / Fill;

    /// <summary>The internal ids of a number of nodes are below this.</summary>
    public long IdCount(long count) => count == 0 ? 0 : IdOf(count - 1) + 1;

    /// <summary>The internal id of the node at a position of the build.</summary>
    public long IdOf(long position) => (position / Fill * Owned) + (position % Fill);

    /// <summary>The nodes with lower internal ids, which is the position of a node; that of a free slot is the next node's.</summary>
    public long PositionOf(long id) => (id / Owned * Fill) + Math.Min(id % Owned, Fill);

    /// <summary>Whether a build places a node there, if its last page reaches so far.</summary>
    public bool IsFilled(long id) => id % Owned < Fill;

    /// <summary>Whether nodes may be added to an index of a number of nodes.</summary>
    public bool HasRoom(long count) => Capacity > IdCount(count);

    public bool HasFile(FileRole role) =>
        role is FileRole.Nodes or FileRole.Keys or FileRole.Codes or FileRole.CodeBook or FileRole.PageGraph
        || (role == FileRole.Vectors && Stored is not null);

    public PageKind KindOf(FileRole role) => role switch
    {
        FileRole.Nodes => PageKind.MergedNodes,
        FileRole.Keys => PageKind.KeyBucket,
        FileRole.Vectors => PageKind.OriginalVectors,
        _ => PageKind.Stream,
    };

    public void Check(string path, IndexSchema schema, Calibration? calibration)
    {
        PlainShape.Instance.Check(path, schema, calibration);
        if (Entries > schema.Count)
            throw new IndexCorruptException(path, $"expected a valid number of entry points, found {Entries}");
        if (Capacity < IdCount(schema) || Capacity > SchemaLimits.MaxCount)
            throw new IndexCorruptException(path, $"expected a valid capacity of {IdCount(schema)} ids or more, found {Capacity}");
        int lacking = Links.Lengths[..(BitOperations.Log2((uint)Capacity) + 1)].IndexOf((byte)0);
        if (lacking >= 0)
            throw new IndexCorruptException(path, $"expected a valid magnitude without a code of link lists, found {lacking}");
        try
        {
            CreateLayout(schema);
        }
        catch (VectorPipeException e)
        {
            throw new IndexCorruptException($"{path}: {e.Message}", e);
        }
    }

    public IPageCheck OpenCheck(Manifest manifest, Func<FileEntry, PageFileReader> open, CancellationToken cancellationToken) =>
        new GraphPageCheck(manifest.Schema);
}
