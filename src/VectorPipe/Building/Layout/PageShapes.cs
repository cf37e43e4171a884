using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building.Layout;

/// <summary>Computes the contents of a merged page from the size of a vector.</summary>
internal static class PageShapes
{
    // The key of a node, and 55 links of 2 bytes (docs/decisions.md#page-contents).
    private const int BytesBesideVector = 118;

    // The same with 40 links.
    private const long LeastBesideVector = 88;

    // Bytes of a node beside vector and links, and of a replica beside its vector: key, state, and counts or an id.
    private const int FixedBytes = 13;

    // Most bytes of counts and gaps of a page, and zeros behind its links.
    private const int BytesOfPage = 16;

    // Eight links a node: with fewer, pages lead nowhere.
    private const int LeastLinkBytes = 16;

    // Where as many vectors fit, a quarter of them gives way to twice as many replicas: the page then answers for its neighbours, too.
    private const int LeastForReplicas = 10;

    // A build with room leaves one slot of each twelve free, and one of a page that has fewer, but for those with very few
    // (docs/decisions.md#checkpoints).
    private const int SlotsOfSpare = 12;
    private const int LeastWithSpare = 4;

    // Pages that an index with room may grow to, for each page of the build.
    private const int Growth = 2;

    // See docs/decisions.md#entry-points.
    private const int DefaultEntries = 128;

    /// <summary>The shape of a page.</summary>
    /// <param name="type">Type of a component of the original vectors.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="count">Vectors.</param>
    /// <param name="pageGraphBytesPerVector">Memory for the page graph, bytes a vector.</param>
    /// <param name="content">Requested contents; checked.</param>
    /// <exception cref="ArgumentOutOfRangeException">The requested contents do not fit together.</exception>
    public static MergedPageLayout Of(
        VectorElementType type, int dimension, long count, double pageGraphBytesPerVector, PageOverrides content)
    {
        VectorElementType stored = content.Vectors ?? Denser(type, dimension, content.PageSize);
        int stride = Stride(stored, dimension);
        (int owned, int replicas, int pageSize) = Divide(stride, content);
        Fit(owned, replicas, pageSize, stride, $"dimension {dimension} ({stored})");
        int blockBytes = (int)Math.Min(PageGraphBlock.MaxBytes, pageGraphBytesPerVector * owned);
        int fill = content.WithRoom ? FillOf(owned) : owned;
        long capacity = content.WithRoom ? Math.Min(SchemaLimits.MaxCount, Growth * ((count + fill - 1) / fill) * owned) : count;
        return new MergedPageLayout(
            owned, replicas, pageSize, blockBytes < PageGraphBlock.LeastBytes ? 0 : blockBytes, (int)Math.Min(DefaultEntries, count))
        {
            Stored = stored == type ? null : stored,
            Fill = fill,
            Capacity = capacity,
        };
    }

    private static int FillOf(int owned) => owned < LeastWithSpare ? owned : owned - Math.Max(1, owned / SlotsOfSpare);

    // Float16 if a page of it holds more vectors per byte than one of float32.
    private static VectorElementType Denser(VectorElementType type, int dimension, int? pageSize)
    {
        if (type != VectorElementType.Float32)
            return type;
        (long original, long originalSize) = Capacity(type);
        (long rounded, long roundedSize) = Capacity(VectorElementType.Float16);
        bool fitsNeither = rounded + original == 0;
        return fitsNeither || rounded * originalSize > original * roundedSize ? VectorElementType.Float16 : type;

        (int Vectors, int PageSize) Capacity(VectorElementType form)
        {
            int nodeBytes = Stride(form, dimension) + BytesBesideVector;
            int size = pageSize ?? WholePage(nodeBytes);
            return ((size - PageCodec.HeaderSize) / nodeBytes, size);
        }
    }

    private static (int Owned, int Replicas, int PageSize) Divide(int stride, PageOverrides content)
    {
        long nodeBytes = stride + BytesBesideVector, replicaBytes = stride + FixedBytes;
        long wanted = (content.NodesPerPage ?? 1) * nodeBytes + (content.ReplicasPerPage ?? 0) * replicaBytes;
        int pageSize = content.PageSize ?? WholePage(wanted);
        long room = pageSize - PageCodec.HeaderSize;
        int capacity = (int)Math.Max(1, room / nodeBytes);
        int owned = content.NodesPerPage ?? (content.ReplicasPerPage is { } fixedReplicas
            ? (int)Math.Clamp((room - fixedReplicas * replicaBytes) / nodeBytes, 1, PageOverrides.MaxVectors)
            : Math.Min(PageOverrides.MaxVectors, capacity >= LeastForReplicas ? capacity * 3 / 4 : capacity));
        if (content.ReplicasPerPage is { } replicas)
            return (owned, replicas, pageSize);

        // Two replicas take the place of each further node that would fit, as far as the links of the others leave room.
        long most = Math.Min(capacity / 2, (room - owned * (stride + LeastBesideVector)) / replicaBytes);
        bool hasReplicas = capacity >= LeastForReplicas && owned < capacity;
        long wantedReplicas = hasReplicas ? Math.Min(most, 2L * (capacity - owned)) : 0;
        return (owned, (int)Math.Clamp(wantedReplicas, 0, PageOverrides.MaxVectors), pageSize);
    }

    private static void Fit(int owned, int replicas, int pageSize, int stride, string form)
    {
        long least = PageCodec.HeaderSize + BytesOfPage + owned * (long)(stride + FixedBytes + LeastLinkBytes)
            + replicas * (long)(stride + FixedBytes);
        Require.That(
            least <= pageSize && pageSize <= PageCodec.MaxPageSize,
            nameof(PageOverrides.PageSize),
            pageSize,
            $"{least:N0} to {PageCodec.MaxPageSize:N0} bytes for {owned} nodes and {replicas} replicas of {form}");
    }

    private static int WholePage(long bytes) =>
        (int)Math.Min(int.MaxValue / 2, (bytes + PageCodec.HeaderSize + PageCodec.PageUnit - 1) / PageCodec.PageUnit * PageCodec.PageUnit);

    private static int Stride(VectorElementType type, int dimension) => checked(dimension * type.SizeInBytes()) + 3 & ~3;
}
