using System.Runtime.InteropServices;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Panels;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// The candidates for long links: the nearest few of some hundred samples around the leaf, from each level, and random draws from the
/// thinnest.
/// </summary>
/// <remarks>Not thread-safe; a worker's scratch. Freed by <see cref="Dispose"/>.</remarks>
internal sealed unsafe class LevelCandidates : IDisposable
{
    private const int ChunkRows = 48;

    // All samples of so many levels, from the top, are candidates of the entry point.
    private const int EntryLevels = 2;

    // Purposes of the draws, from this one on.
    private const uint FarPurpose = 128;

    private readonly BuildContext _context;
    private readonly SampleLevels _levels;
    private readonly PageLease _lease;
    private readonly PanelRows _vectors;
    private readonly VectorPanel[] _panels;
    private readonly List<int>[] _samples;
    private readonly DistanceBlock _block = new();
    private readonly int[] _positions;
    private readonly float[] _distances;
    private readonly int[] _counts;
    private readonly int _perLevel;
    private readonly int _perRow;
    private readonly int _far;
    private int[] _found = [];

    public LevelCandidates(BuildContext context, PageLease lease, int rows)
    {
        _context = context;
        SampleLevels levels = context.Levels;
        _levels = levels;
        _lease = lease;
        _vectors = context.Vectors;
        _perLevel = context.Options.LevelCandidates;
        _far = context.Options.FarCandidates;
        _perRow = levels.Count * _perLevel + _far;
        _panels = new VectorPanel[levels.Count];
        _samples = new List<int>[levels.Count];
        for (int level = 0; level < levels.Count; level++)
        {
            _panels[level] = new VectorPanel();
            _samples[level] = [];
        }

        _positions = new int[rows * _perRow];
        _distances = new float[_positions.Length];
        _counts = new int[rows];
    }

    /// <summary>Distances computed so far.</summary>
    public long Computed { get; private set; }

    /// <summary>Gathers the samples around a leaf; extends <paramref name="near"/> as far as needed.</summary>
    public void Start(NearLeaves near)
    {
        for (int level = 0; level < _levels.Count; level++)
        {
            List<int> samples = _samples[level];
            samples.Clear();
            if (level == _levels.Count - 1 || _levels.All(level).Length <= _context.Options.LevelSamples)
                samples.AddRange(_levels.All(level));
            for (int i = 0; samples.Count < Math.Min(_context.Options.LevelSamples, _levels.All(level).Length); i++)
            {
                if (i == near.Listed.Length && !near.Extend())
                    break;
                samples.AddRange(_levels.InLeaf(level, near.Listed[i]));
            }

            Pack(_panels[level], CollectionsMarshal.AsSpan(samples));
        }
    }

    /// <summary>Chooses the candidates of a block of positions.</summary>
    public void Choose(ReadOnlySpan<int> rows)
    {
        _counts.AsSpan(0, rows.Length).Clear();
        for (int level = 0; level < _levels.Count; level++)
        {
            Computed += (long)rows.Length * _samples[level].Count;
            for (int from = 0; from < rows.Length; from += ChunkRows)
            {
                int count = Math.Min(ChunkRows, rows.Length - from);
                _block.Compute(_vectors, rows.Slice(from, count), _panels[level]);
                for (int i = 0; i < count; i++)
                {
                    Select(from + i, rows[from + i], _block.Row(i), _samples[level]);
                    if (level == _levels.Count - 1)
                        Draw(from + i, rows[from + i], _block.Row(i), _samples[level]);
                }
            }
        }
    }

    /// <summary>Adds the candidates of a position, at <paramref name="row"/> of the block, to <paramref name="keys"/>.</summary>
    public void AddTo(CandidateKeys keys, int position, int row)
    {
        int first = row * _perRow;
        for (int i = first; i < first + _counts[row]; i++)
            keys.Add(_distances[i], _positions[i]);
        if (position != _context.Entry)
            return;
        for (int level = Math.Max(0, _levels.Count - EntryLevels); level < _levels.Count; level++)
            AddAll(keys, position, level);
    }

    public void Dispose()
    {
        _block.Dispose();
        foreach (VectorPanel panel in _panels)
            panel.Dispose();
    }

    private void Pack(VectorPanel panel, ReadOnlySpan<int> samples)
    {
        _context.Table.Ask(_lease, samples);
        _lease.Fetch();
        panel.Pack(_vectors, _context.Table.Find(samples, ref _found));
    }

    private void Select(int row, int self, float* distances, List<int> samples)
    {
        int least = Math.Min(_perLevel + 1, samples.Count);
        float bound = samples.Count > least ? ThresholdSelection.Bound(distances, samples.Count, least, least) : float.PositiveInfinity;
        int size = row * _perRow + _counts[row];
        int end = size + _perLevel;
        // Those below the bound first, then ties in the order of the samples.
        for (int pass = 0; pass < 2; pass++)
        {
            for (int i = 0; i < samples.Count && size < end; i++)
            {
                if ((pass == 0 ? distances[i] < bound : distances[i] == bound) && samples[i] != self)
                {
                    _distances[size] = distances[i];
                    _positions[size++] = samples[i];
                }
            }
        }

        _counts[row] = size - row * _perRow;
    }

    // The nearest samples of a level lead every point of a cluster to the same few clusters; draws lead to all.
    private void Draw(int row, int self, float* distances, List<int> samples)
    {
        int size = row * _perRow + _counts[row];
        for (uint draw = 0; draw < _far; draw++)
        {
            int sample = (int)(PointHash.Of(_context.Parameters.Seed, FarPurpose + draw, _context.Map.Points[self]) % (ulong)samples.Count);
            if (samples[sample] == self)
                continue;
            _distances[size] = distances[sample];
            _positions[size++] = samples[sample];
        }

        _counts[row] = size - row * _perRow;
    }

    private void AddAll(CandidateKeys keys, int position, int level)
    {
        ReadOnlySpan<int> samples = _levels.All(level);
        using var panel = new VectorPanel();
        using var block = new DistanceBlock();
        Pack(panel, samples);
        block.Compute(_vectors, new ReadOnlySpan<int>(in position), panel);
        Computed += samples.Length;
        for (int i = 0; i < samples.Length; i++)
        {
            if (samples[i] != position)
                keys.Add(block.Row(0)[i], samples[i]);
        }
    }
}
