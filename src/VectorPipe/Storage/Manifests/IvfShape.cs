using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>
/// How an index of lists is divided: vectors lie in the list of their nearest centroid, and a list begins with a page of its own.
/// </summary>
/// <param name="Lists">Lists, at least 1; none is empty.</param>
/// <param name="Pages">Pages of vectors, the header not counted.</param>
/// <param name="PageSize">Bytes of a page of vectors: a multiple of <see cref="PageCodec.PageUnit"/>.</param>
/// <param name="Components">Components of a centroid: the dimension, and one more under the inner product.</param>
/// <param name="Degree">Links of a centroid, at most.</param>
/// <param name="Entry">The centroid at which a search for the nearest ones enters.</param>
/// <param name="IsCoded">Whether searches scan compressed codes, which lie in lists of their own, and read vectors for the best of them
/// only.</param>
internal sealed record IvfShape(int Lists, long Pages, int PageSize, int Components, int Degree, int Entry, bool IsCoded) : IIndexShape
{
    /// <summary>Links of a centroid that a file has room for, at most.</summary>
    public const int MaxDegree = 512;

    /// <summary>In which form pages hold vectors that were given as float32; null for the form in which they were given.</summary>
    public VectorElementType? Stored { get; init; }

    /// <summary>Bytes of the file of lists: centroids, links of centroids, rows of lists.</summary>
    public long StreamLength => (long)Lists * (Components + Degree + 1) * sizeof(uint);

    /// <summary>Codes of a page, for codes of so many bytes.</summary>
    public static int CodesPerPage(int codeBytes) => (PageCodec.PageUnit - PageCodec.HeaderSize) / codeBytes;

    /// <inheritdoc/>
    public NodeLayout CreateLayout(IndexSchema schema) => NodeLayout.Lists(Stored ?? schema.ElementType, schema.Dimension, PageSize);

    /// <inheritdoc/>
    public long NodePages(IndexSchema schema) => Pages;

    /// <inheritdoc/>
    public long IdCount(IndexSchema schema) => Pages * CreateLayout(schema).NodesPerPage;

    /// <inheritdoc/>
    public bool HasFile(FileRole role) =>
        role is FileRole.Nodes or FileRole.Keys or FileRole.Lists || (role is FileRole.Codes or FileRole.CodeBook && IsCoded)
        || (role == FileRole.Vectors && Stored is not null);

    /// <inheritdoc/>
    public PageKind KindOf(FileRole role) => role switch
    {
        FileRole.Nodes => PageKind.ListVectors,
        FileRole.Keys => PageKind.KeyBucket,
        FileRole.Codes => PageKind.ListCodes,
        FileRole.Vectors => PageKind.GivenVectors,
        _ => PageKind.Stream,
    };

    /// <inheritdoc/>
    public void Check(string path, IndexSchema schema, Calibration? calibration)
    {
        IvfSection.Check(path, schema, this);
        if (calibration is not null)
            CalibrationSection.Check(path, calibration, isLists: true);
    }

    /// <inheritdoc/>
    public IPageCheck OpenCheck(Manifest manifest, Func<FileEntry, PageFileReader> open, CancellationToken cancellationToken)
    {
        using PageFileReader reader = open(manifest.File(FileRole.Lists));
        using IvfTable lists = IvfTable.Load(reader, manifest, cancellationToken);
        return new IvfCheck(lists.Directory, manifest.Schema.CreateLayout());
    }
}
