using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Panels;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Clusters;

/// <summary>The leaves around a leaf, nearest first: exactly among the leaves of the nearest groups, group by group beyond.</summary>
/// <remarks>Not thread-safe; a worker's scratch.</remarks>
internal sealed unsafe class NearLeaves(LeafMap map)
{
    private const int MinExact = 1024;
    private const int MinExactGroups = 8;

    private readonly List<int> _leaves = [];
    private readonly List<ulong> _keys = [];
    private readonly ulong[] _groups = new ulong[map.Groups.Count];
    private readonly float[] _groupDistances = new float[VectorPanel.Lanes(map.Groups.Count)];
    private float[] _distances = [];
    private int _nextGroup;

    /// <summary>The leaves listed so far; the first is the leaf itself.</summary>
    public ReadOnlySpan<int> Listed => CollectionsMarshal.AsSpan(_leaves);

    /// <summary>Begins the list of a leaf, of which at least <paramref name="exact"/> entries are in exact order.</summary>
    public void Start(int leaf, int exact)
    {
        SortGroups(leaf);
        _leaves.Clear();
        while (_nextGroup < _groups.Length && (_nextGroup < MinExactGroups || _leaves.Count < Math.Max(MinExact, exact)))
            Extend();

        Span<int> leaves = CollectionsMarshal.AsSpan(_leaves);
        if (_distances.Length < leaves.Length)
            _distances = new float[leaves.Length];
        GatherKernels.Distances(map.Centroids.Rows, leaf, leaves, _distances);
        _keys.Clear();
        for (int i = 0; i < leaves.Length; i++)
            _keys.Add(leaves[i] == leaf ? 0 : PointKey.Pack(_distances[i], leaves[i]));
        RankSort.Sort(CollectionsMarshal.AsSpan(_keys));
        leaves[0] = leaf;
        for (int i = 1; i < leaves.Length; i++)
            leaves[i] = PointKey.Point(_keys[i]);
    }

    /// <summary>Lists the leaves of one more group.</summary>
    /// <returns>False when all are listed.</returns>
    public bool Extend()
    {
        if (_nextGroup == _groups.Length)
            return false;
        int group = PointKey.Point(_groups[_nextGroup++]);
        for (int leaf = map.GroupOffsets[group]; leaf < map.GroupOffsets[group + 1]; leaf++)
            _leaves.Add(leaf);
        return true;
    }

    // The own group of the leaf comes first, wherever its centroid lies.
    private void SortGroups(int leaf)
    {
        fixed (float* distances = _groupDistances)
            PanelKernels.Distances(map.Centroids.Rows, leaf, map.GroupPanel, 0, distances);
        for (int group = 0; group < _groups.Length; group++)
        {
            bool own = map.GroupOffsets[group] <= leaf && leaf < map.GroupOffsets[group + 1];
            _groups[group] = own ? (uint)group << 1 : PointKey.Pack(_groupDistances[group] + 1e-30f, group);
        }

        Array.Sort(_groups);
        _nextGroup = 0;
    }
}
