using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe.Building.Layout;

/// <summary>What goes into a page of the merged layout, by arithmetic from the size of a vector.</summary>
internal static class PageShapes
{
    // A node's key, and 55 links of 2 bytes: below 40 links a node the last per cents of recall take half as many reads again.
    private const int BytesBesideVector = 118;

    // Where as many vectors fit, a quarter of them pays more as replicas of twice the number: a page then answers for its neighbours, too.
    private const int LeastForReplicas = 10;

    // 63 find as much as 500 for 350 fewer code distances a query, 20 lose a thousandth (photo-SIFT 1M); twice 63 for data that falls into clusters.
    private const int DefaultEntries = 128;

    /// <summary>The shape of a page.</summary>
    /// <param name="type">Type of a component.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="count">Vectors.</param>
    /// <param name="pageGraphBytesPerVector">Memory for the page graph, bytes a vector.</param>
    public static MergedShape Of(VectorElementType type, int dimension, long count, double pageGraphBytesPerVector)
    {
        int stride = checked(dimension * type.SizeInBytes()) + 3 & ~3;
        int units = (stride + BytesBesideVector + PageCodec.HeaderSize + PageCodec.PageUnit - 1) / PageCodec.PageUnit;
        int pageSize = units * PageCodec.PageUnit;
        int capacity = Math.Max(1, (pageSize - PageCodec.HeaderSize) / (stride + BytesBesideVector));
        bool hasReplicas = capacity >= LeastForReplicas;
        int owned = hasReplicas ? capacity * 3 / 4 : capacity;
        int replicas = hasReplicas ? capacity / 2 : 0;
        int blockBytes = (int)Math.Min(PageGraphBlock.MaxBytes, pageGraphBytesPerVector * owned);
        return new MergedShape(owned, replicas, pageSize, blockBytes < PageGraphBlock.LeastBytes ? 0 : blockBytes, (int)Math.Min(DefaultEntries, count));
    }
}
