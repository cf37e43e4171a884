using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>The division of points into leaves. A position is the place of a point in leaf order; near leaves have near numbers.</summary>
/// <remarks>Reading is thread-safe. Owns both tables; freed by <see cref="Dispose"/>.</remarks>
internal sealed class LeafMap : IDisposable
{
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

    /// <summary>Leaves; none is empty.</summary>
    public int Count => Offsets.Length - 1;

    /// <summary>First position of each leaf, and the number of points.</summary>
    public int[] Offsets { get; }

    /// <summary>The point at each position, by its number in the source.</summary>
    public int[] Points { get; }

    /// <summary>A centroid per leaf.</summary>
    public VectorTable Centroids { get; }

    /// <summary>A centroid per group of leaves.</summary>
    public VectorTable Groups { get; }

    /// <summary>First leaf of each group, and the number of leaves.</summary>
    public int[] GroupOffsets { get; }

    /// <summary>The centroids of the groups, packed.</summary>
    public VectorPanel GroupPanel { get; }

    /// <summary>Points of a leaf.</summary>
    public int Size(int leaf) => Offsets[leaf + 1] - Offsets[leaf];

    /// <summary>The leaf of each point, by its number in the source.</summary>
    public uint[] LeafOfPoints()
    {
        uint[] leafOf = new uint[Points.Length];
        for (int leaf = 0; leaf < Count; leaf++)
        {
            foreach (int point in Points.AsSpan(Offsets[leaf]..Offsets[leaf + 1]))
                leafOf[point] = (uint)leaf;
        }

        return leafOf;
    }

    public void Dispose()
    {
        Centroids.Dispose();
        Groups.Dispose();
        GroupPanel.Dispose();
    }
}
