using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>Centroids of leaves under fewer centroids above them: a row is compared with the leaves of the nearest of those only.</summary>
/// <remarks>Reading is thread-safe. Freed by <see cref="Dispose"/>, centroids included.</remarks>
internal sealed class CentroidTree : IDisposable
{
    private readonly VectorPanel[] _leafPanels;

    /// <param name="groups">Upper centroids; taken over.</param>
    /// <param name="leaves">Lower centroids, those of a group side by side; taken over.</param>
    /// <param name="groupOffsets">Leaves of group g are groupOffsets[g] .. groupOffsets[g+1]-1; no group is empty.</param>
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

    /// <summary>Upper centroids.</summary>
    public VectorTable Groups { get; }

    /// <summary>Lower centroids.</summary>
    public VectorTable Leaves { get; }

    /// <summary>First leaf of each group, and the number of leaves.</summary>
    public int[] GroupOffsets { get; }

    /// <summary>Upper centroids, packed.</summary>
    public VectorPanel GroupPanel { get; }

    /// <summary>Lower centroids of a group, packed.</summary>
    public VectorPanel LeafPanel(int group) => _leafPanels[group];

    /// <summary>Takes over lower centroids that have moved.</summary>
    public void PackLeaves()
    {
        for (int i = 0; i < _leafPanels.Length; i++)
            _leafPanels[i].Pack(Leaves.Rows, Sequence.Of(GroupOffsets[i], GroupOffsets[i + 1] - GroupOffsets[i]));
    }

    /// <summary>Frees centroids and panels.</summary>
    public void Dispose()
    {
        Groups.Dispose();
        Leaves.Dispose();
        GroupPanel.Dispose();
        foreach (VectorPanel panel in _leafPanels)
            panel.Dispose();
    }
}
