using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building.Ivf;

/// <summary>How many lists an index has, and which pages: all arithmetic.</summary>
/// <param name="Lists">Lists that are aimed at.</param>
/// <param name="PageSize">Bytes of a page of vectors.</param>
internal sealed record IvfDivision(int Lists, int PageSize)
{
    /// <summary>
    /// Pages that a search scans of a list, on average. The last page of a list is half empty: of eight, that wastes a sixteenth.
    /// </summary>
    public const int VectorPages = 8;

    /// <summary>
    /// Pages of codes that a search scans of a list, on average: a page holds more codes than vectors, and fewer rows a list leave less to
    /// scan that is far off.
    /// </summary>
    public const int CodePages = 4;

    /// <summary>Rows of a list at least: its centroid, of up to four times a vector's size, is held in memory.</summary>
    public const int LeastRows = 128;

    private const int LargestPage = 1 << 16;
    private const double LeastUse = 0.9;

    /// <summary>Rows of a list, on average.</summary>
    /// <param name="count">Vectors.</param>
    public int RowsOf(long count) => (int)((count - 1) / Lists) + 1;

    /// <summary>The plan for vectors.</summary>
    /// <param name="type">Type of a component.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="count">Vectors, at least 1.</param>
    /// <param name="codeBytes">Bytes of a code; 0 for lists whose vectors are scanned.</param>
    /// <param name="lists">Lists that are asked for; null for what fits the pages.</param>
    /// <param name="pageSize">Bytes of a page that are asked for; null for the least that is well used.</param>
    public static IvfDivision Of(VectorElementType type, int dimension, long count, int codeBytes, int? lists, int? pageSize)
    {
        int page = pageSize ?? PageSizeOf(type, dimension);
        int perPage = codeBytes > 0 ? IvfShape.CodesPerPage(codeBytes) : NodeLayout.Lists(type, dimension, page).NodesPerPage;
        int pages = codeBytes > 0 ? CodePages : VectorPages;
        int rows = Math.Max(LeastRows, (perPage * pages) - (perPage / 2));
        return new IvfDivision(lists ?? (int)((count - 1) / rows) + 1, page);
    }

    /// <summary>Pages of vectors at most, whatever the division: every list ends with a page that is not full.</summary>
    /// <param name="layout">The layout of the pages.</param>
    /// <param name="count">Vectors.</param>
    /// <param name="lists">Lists.</param>
    public static long MaxPages(NodeLayout layout, long count, long lists) => MaxPages(layout.NodesPerPage, count, lists);

    /// <summary>Pages at most, of so many rows a page.</summary>
    public static long MaxPages(int perPage, long count, long lists) => Math.Min(count, ((count - 1) / perPage) + 1 + lists);

    // The smallest page that is well used; if none is, the best used one.
    private static int PageSizeOf(VectorElementType type, int dimension)
    {
        int stride = (dimension * type.SizeInBytes()) + 3 & ~3;
        int best = 0;
        double bestUse = 0;
        for (int size = PageCodec.PageUnit; size <= PageCodec.MaxPageSize; size *= 2)
        {
            double use = (double)(size - PageCodec.HeaderSize - 7) / (stride + sizeof(ulong) + 1);
            if (use < 1)
                continue;
            use = Math.Floor(use) * stride / size;
            if (use > bestUse)
                (best, bestUse) = (size, use);
            if (bestUse >= LeastUse || size >= LargestPage)
                break;
        }

        return best > 0
            ? best
            : throw new VectorPipeException(
                $"A vector of dimension {dimension} ({type}) needs a page larger than {PageCodec.MaxPageSize} bytes.");
    }
}
