using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>The division of an IVF index: each vector lies in the list of its nearest centroid, and each list begins a page.</summary>
/// <param name="Lists">Lists, at least 1; none is empty.</param>
/// <param name="Pages">Pages of vectors, the header not counted.</param>
/// <param name="PageSize">Bytes of a page of vectors: a multiple of <see cref="PageCodec.PageUnit"/>.</param>
/// <param name="Components">Components of a centroid: the dimension, and one more under the inner product.</param>
/// <param name="Degree">The most links of a centroid.</param>
/// <param name="Entry">The centroid at which a search for the nearest ones enters.</param>
/// <param name="IsCoded">Whether searches scan codes, and read vectors only for the best ones.</param>
internal sealed record IvfShape(int Lists, long Pages, int PageSize, int Components, int Degree, int Entry, bool IsCoded) : IIndexShape
{
    /// <summary>The largest <see cref="Degree"/>.</summary>
    public const int MaxDegree = 512;

    /// <summary>The type of pages that hold original Float32 vectors rounded; null if pages hold vectors unchanged.</summary>
    public VectorElementType? Stored { get; init; }

    /// <summary>Bytes of the file of lists: centroids, links of centroids, rows of lists.</summary>
    public long StreamLength => (long)Lists * (Components + Degree + 1) * sizeof(uint);

    public static int CodesPerPage(int codeBytes) => (PageCodec.PageUnit - PageCodec.HeaderSize) / codeBytes;

    public NodeLayout CreateLayout(IndexSchema schema) => NodeLayout.Lists(Stored ?? schema.ElementType, schema.Dimension, PageSize);

    public long NodePages(IndexSchema schema) => Pages;

    public long IdCount(IndexSchema schema) => Pages * CreateLayout(schema).NodesPerPage;

    public bool HasFile(FileRole role) =>
        role is FileRole.Nodes or FileRole.Keys or FileRole.Lists || (role is FileRole.Codes or FileRole.CodeBook && IsCoded)
        || (role == FileRole.Vectors && Stored is not null);

    public PageKind KindOf(FileRole role) => role switch
    {
        FileRole.Nodes => PageKind.ListVectors,
        FileRole.Keys => PageKind.KeyBucket,
        FileRole.Codes => PageKind.ListCodes,
        FileRole.Vectors => PageKind.OriginalVectors,
        _ => PageKind.Stream,
    };

    public void Check(string path, IndexSchema schema, Calibration? calibration)
    {
        IvfSection.Check(path, schema, this);
        if (calibration is not null)
            CalibrationSection.Check(path, calibration, isLists: true);
    }

    public IPageCheck OpenCheck(Manifest manifest, Func<FileEntry, PageFileReader> open, CancellationToken cancellationToken)
    {
        using PageFileReader reader = open(manifest.File(FileRole.Lists));
        using IvfTable lists = IvfTable.Load(reader, manifest, cancellationToken);
        return new IvfCheck(lists.Directory, manifest.Schema.CreateLayout());
    }
}
