using System.Numerics;
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

    /// <summary>Bytes of the page graph's file: entry points, a block per page, and padding for the reader of the last block.</summary>
    public long StreamLength(long pages) => (long)Entries * sizeof(uint) + pages * PageGraphBytes + EliasFanoCode.Padding;

    public NodeLayout CreateLayout(IndexSchema schema) => CreateLayout(schema.ElementType, schema.Dimension);

    public NodeLayout CreateLayout(VectorElementType elementType, int dimension) =>
        NodeLayout.OfMergedPages(Stored ?? elementType, dimension, Owned, Replicas, PageSize, Links);

    public long NodePages(IndexSchema schema) => (schema.Count + Owned - 1) / Owned;

    public long IdCount(IndexSchema schema) => schema.Count;

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
        int lacking = Links.Lengths[..(BitOperations.Log2((uint)schema.Count) + 1)].IndexOf((byte)0);
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
