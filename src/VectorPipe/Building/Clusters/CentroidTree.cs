using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>Centroids of leaves under fewer centroids of groups: a row is compared with the leaves of the nearest groups only.</summary>
/// <remarks>Reading is thread-safe. Owns both tables; freed by <see cref="Dispose"/>.</remarks>
internal sealed class CentroidTree : IDisposable
{
    private readonly VectorPanel[] _leafPanels;

    public CentroidTree(VectorTable groups, VectorTable leaves, int[] groupOffsets)
    {
        Groups = groups;
        Leaves = leaves;
        GroupOffsets = groupOffsets;
        GroupPanel = new VectorPanel();
        GroupPanel.Pack(groups.Rows, Sequence.Of(groups.Count));
        _leafPanels = new VectorPanel[groups.Count];
        for (int i = 0; i < _leafPanels.Length; i++)
            _leafPanels[i] = new VectorPanel();
        PackLeaves();
    }

    /// <summary>Centroids of groups.</summary>
    public VectorTable Groups { get; }

    /// <summary>Centroids of leaves.</summary>
    public VectorTable Leaves { get; }

    /// <summary>Leaves of group g are GroupOffsets[g] .. GroupOffsets[g+1]-1; no group is empty.</summary>
    public int[] GroupOffsets { get; }

    public VectorPanel GroupPanel { get; }

    /// <summary>The packed centroids of a group's leaves.</summary>
    public VectorPanel LeafPanel(int group) => _leafPanels[group];

    /// <summary>Packs the leaves again, after they have moved.</summary>
    public void PackLeaves()
    {
        for (int i = 0; i < _leafPanels.Length; i++)
            _leafPanels[i].Pack(Leaves.Rows, Sequence.Of(GroupOffsets[i], GroupOffsets[i + 1] - GroupOffsets[i]));
    }

    public void Dispose()
    {
        Groups.Dispose();
        Leaves.Dispose();
        GroupPanel.Dispose();
        foreach (VectorPanel panel in _leafPanels)
            panel.Dispose();
    }
}
