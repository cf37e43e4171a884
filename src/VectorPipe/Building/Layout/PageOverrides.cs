using VectorPipe.Model.Errors;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building.Layout;

/// <summary>Requested contents of a page; <see cref="PageShapes"/> computes the rest.</summary>
internal sealed record PageOverrides
{
    /// <summary>Most nodes, and most replicas, of a page.</summary>
    public const int MaxVectors = 4096;

    /// <summary>Type of the components in pages; null for the one of which more fit.</summary>
    public VectorElementType? Vectors { get; init; }

    /// <summary>Bytes of a page.</summary>
    public int? PageSize { get; init; }

    public int? NodesPerPage { get; init; }

    public int? ReplicasPerPage { get; init; }

    /// <summary>Whether a build leaves room for nodes that are inserted later: free slots in pages, and ids for more pages.</summary>
    public bool WithRoom { get; init; }

    /// <summary>Refuses impossible pages; whether all of it fits depends on the size of a vector.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A figure is out of its range.</exception>
    public void Validate()
    {
        Require.That(
            PageSize is null || (PageSize > 0 && PageSize <= PageCodec.MaxPageSize && PageSize % PageCodec.PageUnit == 0),
            nameof(PageSize),
            PageSize,
            $"a multiple of {PageCodec.PageUnit:N0} up to {PageCodec.MaxPageSize:N0}");
        Require.That(NodesPerPage is null or (>= 1 and <= MaxVectors), nameof(NodesPerPage), NodesPerPage, $"1 to {MaxVectors:N0}");
        Require.That(
            ReplicasPerPage is null or (>= 0 and <= MaxVectors), nameof(ReplicasPerPage), ReplicasPerPage, $"0 to {MaxVectors:N0}");
    }
}
