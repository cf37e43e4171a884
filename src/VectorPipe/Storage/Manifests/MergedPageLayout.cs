using System.Numerics;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>How a page of the merged layout is divided, and what a page costs in memory.</summary>
/// <param name="Owned">Nodes of a page, at least 1.</param>
/// <param name="Replicas">Vectors of other pages' nodes that a page repeats, 0 or more.</param>
/// <param name="PageSize">Bytes of a page: a multiple of <see cref="PageCodec.PageUnit"/>.</param>
/// <param name="PageGraphBytes">Bytes of a page's links in the page graph, which is held in memory; 0 for none.</param>
/// <param name="Entries">Nodes at which a search enters.</param>
internal sealed record MergedPageLayout(int Owned, int Replicas, int PageSize, int PageGraphBytes, int Entries) : IIndexShape
{
    /// <summary>Most nodes at which a search enters: each costs every query a code distance.</summary>
    public const int MaxEntries = 65_536;

    /// <summary>
    /// Type of the components in pages, if it is another one than that of the vectors as they were given; else null. Float16 for float32 is
    /// the only other one.
    /// </summary>
    public VectorElementType? Stored { get; init; }

    /// <summary>Code of the pages' link lists.</summary>
    public GapCode Links { get; init; } = GapCode.Uniform;

    /// <summary>
    /// Bytes of the page graph's file: entry points, a block a page, and as many zeros as a reader of the last block may touch.
    /// </summary>
    public long StreamLength(long pages) => (long)Entries * sizeof(uint) + pages * PageGraphBytes + EliasFanoCode.Padding;

    /// <inheritdoc/>
    public NodeLayout CreateLayout(IndexSchema schema) => CreateLayout(schema.ElementType, schema.Dimension);

    /// <summary>Where things lie in a page.</summary>
    /// <param name="elementType">Type of a component of the original vectors.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <exception cref="VectorPipeException">The page has no room for its vectors.</exception>
    public NodeLayout CreateLayout(VectorElementType elementType, int dimension) =>
        NodeLayout.OfMergedPages(Stored ?? elementType, dimension, Owned, Replicas, PageSize, Links);

    /// <inheritdoc/>
    public long NodePages(IndexSchema schema) => (schema.Count + Owned - 1) / Owned;

    /// <inheritdoc/>
    public long IdCount(IndexSchema schema) => schema.Count;

    /// <inheritdoc/>
    public bool HasFile(FileRole role) =>
        role is FileRole.Nodes or FileRole.Keys or FileRole.Codes or FileRole.CodeBook or FileRole.PageGraph
        || (role == FileRole.Vectors && Stored is not null);

    /// <inheritdoc/>
    public PageKind KindOf(FileRole role) => role switch
    {
        FileRole.Nodes => PageKind.MergedNodes,
        FileRole.Keys => PageKind.KeyBucket,
        FileRole.Vectors => PageKind.GivenVectors,
        _ => PageKind.Stream,
    };

    /// <inheritdoc/>
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

    /// <inheritdoc/>
    public IPageCheck OpenCheck(Manifest manifest, Func<FileEntry, PageFileReader> open, CancellationToken cancellationToken) =>
        new GraphPageCheck(manifest.Schema);
}
