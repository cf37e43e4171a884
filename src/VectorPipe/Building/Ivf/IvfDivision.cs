using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building.Ivf;

/// <summary>The number of lists of an index, and the size of its pages.</summary>
/// <param name="Lists">Lists aimed at.</param>
/// <param name="PageSize">Bytes of a page of vectors.</param>
internal sealed record IvfDivision(int Lists, int PageSize)
{
    /// <summary>Pages of a list, on average. The last page is half empty: of eight, that wastes a sixteenth.</summary>
    public const int VectorPages = 8;

    /// <summary>
    /// Pages of codes of a list, on average: a page holds more codes than vectors, and shorter lists leave fewer distant rows to scan.
    /// </summary>
    public const int CodePages = 4;

    /// <summary>Least rows of a list, on average: its centroid, of up to four times the size of a vector, is in memory.</summary>
    public const int LeastRows = 128;

    private const int LargestPage = 1 << 16;
    private const double LeastUse = 0.9;

    /// <summary>Rows of a list, on average.</summary>
    public int RowsOf(long count) => (int)((count - 1) / Lists) + 1;

    /// <summary>Divides vectors into lists.</summary>
    /// <param name="type">Type of a component.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="count">Vectors, at least 1.</param>
    /// <param name="codeBytes">Bytes of a code; 0 if searches scan vectors.</param>
    /// <param name="lists">Lists requested; null for the number that fits the pages.</param>
    /// <param name="pageSize">Bytes of a page requested; null for the smallest size that is well used.</param>
    public static IvfDivision Of(VectorElementType type, int dimension, long count, int codeBytes, int? lists, int? pageSize)
    {
        int page = pageSize ?? PageSizeOf(type, dimension);
        int perPage = codeBytes > 0 ? IvfShape.CodesPerPage(codeBytes) : NodeLayout.Lists(type, dimension, page).NodesPerPage;
        int pages = codeBytes > 0 ? CodePages : VectorPages;
        int rows = Math.Max(LeastRows, (perPage * pages) - (perPage / 2));
        return new IvfDivision(lists ?? (int)((count - 1) / rows) + 1, page);
    }

    /// <summary>Most pages for any division: every list ends with a partly used page.</summary>
    public static long MaxPages(int perPage, long count, long lists) => Math.Min(count, ((count - 1) / perPage) + 1 + lists);

    // The smallest page size that is well used; else the best used one.
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
