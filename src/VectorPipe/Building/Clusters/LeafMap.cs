using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>
/// Which points lie in which leaf. Points are numbered anew by their position in leaf order; near leaves have near numbers.
/// </summary>
/// <remarks>Reading is thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed class LeafMap : IDisposable
{
    /// <param name="offsets">First position of each leaf, and the number of points.</param>
    /// <param name="points">The caller's number of the point at each position.</param>
    /// <param name="centroids">A centroid for each leaf; taken over.</param>
    /// <param name="groups">A centroid for each group of leaves; taken over.</param>
    /// <param name="groupOffsets">First leaf of each group, and the number of leaves.</param>
    public LeafMap(int[] offsets, int[] points, VectorTable centroids, VectorTable groups, int[] groupOffsets)
    {
        Offsets = offsets;
        Points = points;
        Centroids = centroids;
        Groups = groups;
        GroupOffsets = groupOffsets;
        GroupPanel = new VectorPanel();
        GroupPanel.Pack(groups.Rows, Sequence.Of(groups.Count));
    }

    /// <summary>How many leaves; none is empty.</summary>
    public int Count => Offsets.Length - 1;

    /// <summary>First position of each leaf, and the number of points.</summary>
    public int[] Offsets { get; }

    /// <summary>The caller's number of the point at each position.</summary>
    public int[] Points { get; }

    /// <summary>A centroid for each leaf.</summary>
    public VectorTable Centroids { get; }

    /// <summary>A centroid for each group of leaves.</summary>
    public VectorTable Groups { get; }

    /// <summary>First leaf of each group, and the number of leaves.</summary>
    public int[] GroupOffsets { get; }

    /// <summary>The centroids of the groups, packed.</summary>
    public VectorPanel GroupPanel { get; }

    /// <summary>How many points a leaf has.</summary>
    public int Size(int leaf) => Offsets[leaf + 1] - Offsets[leaf];

    /// <summary>Frees the centroids.</summary>
    public void Dispose()
    {
        Centroids.Dispose();
        Groups.Dispose();
        GroupPanel.Dispose();
    }
}
