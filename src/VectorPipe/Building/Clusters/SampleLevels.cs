using VectorPipe.Building.Graphs;

namespace VectorPipe.Building.Clusters;

/// <summary>Ever thinner samples of the points, by leaf: the candidates for long links.</summary>
/// <remarks>
/// The hash of its number puts a point into a level, so that a level is spread as the points are. Reading is thread-safe.
/// </remarks>
internal sealed class SampleLevels
{
    private const uint LevelPurpose = 2;

    private const int MinLevelPoints = 64;

    private readonly int[][] _positions;
    private readonly int[][] _offsets;

    /// <summary>Samples one in so many points of the level below; the entry point, at <paramref name="start"/>, is in all.</summary>
    public SampleLevels(LeafMap map, int start, int rate, ulong seed)
    {
        int levels = 0;
        for (long share = rate; map.Points.Length / share >= MinLevelPoints; share *= rate)
            levels++;
        var chosen = new List<int>[levels];
        _offsets = new int[levels][];
        for (int level = 0; level < levels; level++)
        {
            chosen[level] = [];
            _offsets[level] = new int[map.Count + 1];
        }

        for (int leaf = 0; leaf < map.Count; leaf++)
        {
            for (int position = map.Offsets[leaf]; position < map.Offsets[leaf + 1]; position++)
            {
                double share = 1;
                for (int level = 0; level < levels; level++)
                {
                    share /= rate;
                    if (position != start && !PointHash.IsSampled(seed, LevelPurpose, map.Points[position], share))
                        break;
                    chosen[level].Add(position);
                }
            }

            for (int level = 0; level < levels; level++)
                _offsets[level][leaf + 1] = chosen[level].Count;
        }

        _positions = Array.ConvertAll(chosen, list => list.ToArray());
    }

    /// <summary>The points that distant points link to: the second level, which contains the thinner ones.</summary>
    public ReadOnlySpan<int> FarTargets => _positions.Length > 1 ? _positions[1] : [];

    /// <summary>Points of the thinnest level, about and at most.</summary>
    public static int MostThinnest(int rate) => MinLevelPoints * rate * 5 / 4;

    /// <summary>Levels.</summary>
    public int Count => _positions.Length;

    /// <summary>Positions of all points of a level.</summary>
    public ReadOnlySpan<int> All(int level) => _positions[level];

    /// <summary>Positions of the points of a level that lie in a leaf.</summary>
    public ReadOnlySpan<int> InLeaf(int level, int leaf) => _positions[level].AsSpan(_offsets[level][leaf].._offsets[level][leaf + 1]);
}
