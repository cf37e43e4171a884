using VectorPipe.Numerics.Panels;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Clusters;

/// <summary>Scratch for finding the leaf of each row: the nearest among the leaves of the nearest groups.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed unsafe class LeafAssigner : IDisposable
{
    private readonly DistanceBlock _block = new();
    private readonly ProbeLists _lists = new();
    private float[] _nearest = [];
    private int[] _ids = [];

    /// <summary>Finds the leaf of each row from <paramref name="first"/> on; of equally near ones the lowest.</summary>
    public void Assign(CentroidTree tree, in PanelRows rows, int first, int probes, Span<int> leaves)
    {
        if (_ids.Length < leaves.Length)
        {
            _ids = new int[leaves.Length];
            _nearest = new float[leaves.Length];
        }

        int groups = tree.Groups.Count;
        for (int i = 0; i < leaves.Length; i++)
            _ids[i] = first + i;
        _block.Compute(rows, _ids.AsSpan(0, leaves.Length), tree.GroupPanel);
        _lists.Choose(_block, leaves.Length, groups, probes);
        Array.Fill(_nearest, float.PositiveInfinity, 0, leaves.Length);
        leaves.Fill(tree.GroupOffsets[0]);
        for (int group = 0; group < groups; group++)
        {
            ReadOnlySpan<int> looking = _lists.Rows(group);
            if (looking.Length == 0)
                continue;
            for (int i = 0; i < looking.Length; i++)
                _ids[i] = first + looking[i];
            VectorPanel panel = tree.LeafPanel(group);
            _block.Compute(rows, _ids.AsSpan(0, looking.Length), panel);
            for (int i = 0; i < looking.Length; i++)
            {
                int best = Minimum.IndexOf(_block.Row(i), panel.Count);
                float distance = _block.Row(i)[best];
                if (distance >= _nearest[looking[i]])
                    continue;
                _nearest[looking[i]] = distance;
                leaves[looking[i]] = tree.GroupOffsets[group] + best;
            }
        }
    }

    public void Dispose() => _block.Dispose();
}
