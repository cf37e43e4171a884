using VectorPipe.Numerics;

namespace VectorPipe.Storage;

/// <summary>How an index of lists is divided: vectors lie in the list of their nearest centroid, and a list begins with a page of its own.</summary>
/// <param name="Lists">Lists, at least 1; none is empty.</param>
/// <param name="Pages">Pages of vectors, the header not counted.</param>
/// <param name="PageSize">Bytes of a page of vectors: a multiple of <see cref="PageCodec.PageUnit"/>.</param>
/// <param name="Components">Components of a centroid: the dimension, and one more under the inner product.</param>
/// <param name="Degree">Links of a centroid, at most.</param>
/// <param name="Entry">The centroid at which a search for the nearest ones enters.</param>
/// <param name="IsCoded">Whether searches scan compressed codes, which lie in lists of their own, and read vectors for the best of them only.</param>
internal sealed record ListShape(int Lists, long Pages, int PageSize, int Components, int Degree, int Entry, bool IsCoded)
{
    /// <summary>Links of a centroid that a file has room for, at most.</summary>
    public const int MaxDegree = 512;

    /// <summary>In which form pages hold vectors that were given as float32; null for the form in which they were given.</summary>
    public VectorElementType? Stored { get; init; }

    /// <summary>Bytes of the file of lists: centroids, links of centroids, rows of lists.</summary>
    public long StreamLength => (long)Lists * (Components + Degree + 1) * sizeof(uint);

    /// <summary>Codes of a page, for codes of so many bytes.</summary>
    public static int CodesPerPage(int codeBytes) => (PageCodec.PageUnit - PageCodec.HeaderSize) / codeBytes;
}
