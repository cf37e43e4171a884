using VectorPipe.Building.Graphs;

namespace VectorPipe.Building.Clusters;

/// <summary>The rows that look into each bucket: the nearest buckets of each row, transposed.</summary>
/// <remarks>Not thread-safe. Grows to the largest set and allocates nothing after.</remarks>
internal sealed unsafe class ProbeLists
{
    private int[] _picks = [];
    private int[] _offsets = [];
    private int[] _rows = [];
    private ulong[] _nearest = [];
    private int _probes;

    /// <summary>Chooses the nearest <paramref name="probes"/> buckets of each row.</summary>
    public void Choose(DistanceBlock block, int rows, int buckets, int probes)
    {
        _probes = Math.Min(probes, buckets);
        if (_picks.Length < rows * _probes)
        {
            _picks = new int[rows * _probes];
            _rows = new int[rows * _probes];
        }

        if (_offsets.Length <= buckets + 1)
            _offsets = new int[buckets + 2];
        if (_nearest.Length < _probes)
            _nearest = new ulong[_probes];
        // Counts lie two entries further, so that offsets are right after each has advanced over its rows.
        Array.Clear(_offsets, 0, buckets + 2);
        for (int row = 0; row < rows; row++)
        {
            Span<int> picks = _picks.AsSpan(row * _probes, _probes);
            ChooseNearest(block.Row(row), buckets, picks);
            foreach (int bucket in picks)
                _offsets[bucket + 2]++;
        }

        for (int bucket = 0; bucket < buckets; bucket++)
            _offsets[bucket + 2] += _offsets[bucket + 1];
        for (int pick = 0; pick < rows * _probes; pick++)
            _rows[_offsets[_picks[pick] + 1]++] = pick / _probes;
    }

    /// <summary>The rows that look into a bucket, ascending.</summary>
    public ReadOnlySpan<int> Rows(int bucket) => _rows.AsSpan(_offsets[bucket].._offsets[bucket + 1]);

    private void ChooseNearest(float* distances, int buckets, Span<int> picks)
    {
        Span<ulong> nearest = _nearest.AsSpan(0, picks.Length);
        int size = 0;
        for (int bucket = 0; bucket < buckets; bucket++)
        {
            ulong key = PointKey.Pack(distances[bucket], bucket);
            if (size == nearest.Length && key >= nearest[size - 1])
                continue;
            int slot = size < nearest.Length ? size++ : size - 1;
            for (; slot > 0 && nearest[slot - 1] > key; slot--)
                nearest[slot] = nearest[slot - 1];
            nearest[slot] = key;
        }

        for (int i = 0; i < picks.Length; i++)
            picks[i] = PointKey.Point(nearest[i]);
    }
}
