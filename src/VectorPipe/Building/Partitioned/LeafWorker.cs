using System.Runtime.InteropServices;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Partitioned;

/// <summary>A thread's part in the leaf phase.</summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed unsafe class LeafWorker : IDisposable
{
    private const int ChunkRows = 48;

    private readonly BuildContext _context;
    private readonly VectorTable _table;
    private readonly PanelRows _vectors;
    private readonly PageLease _lease;
    private readonly CopyRings _copies;
    private readonly LinkTable _links;
    private readonly NearLeaves _near;
    private readonly LevelCandidates _levels;
    private readonly ProbeLists _probes = new();
    private readonly VectorPanel _panel = new();
    private readonly DistanceBlock _block = new();
    private readonly Reservoirs _reservoirs;
    private readonly CandidateKeys _keys;
    private readonly PanelPruner _pruner;
    private readonly List<int> _candidates = [];
    private readonly int[] _rows = new int[PartitionedOptions.BlockRows];
    private readonly int[] _chosen;
    private long _computed;

    public LeafWorker(BuildContext context, CopyRings copies, LinkTable links)
    {
        _context = context;
        _table = context.Table;
        _vectors = context.Vectors;
        _lease = context.Rent();
        _copies = copies;
        _links = links;
        _near = new NearLeaves(context.Map);
        _levels = new LevelCandidates(context, _lease, PartitionedOptions.BlockRows);
        _reservoirs = new Reservoirs(PartitionedOptions.BlockRows, context.Options.NearCandidates);
        _keys = new CandidateKeys(context.Count);
        _pruner = new PanelPruner(_table);
        _chosen = new int[links.MaxDegree];
    }

    public void Run(int leaf)
    {
        LeafMap map = _context.Map;
        _near.Start(leaf, _context.Options.NearLeaves);
        _lease.Begin();
        _levels.Start(_near);
        for (int from = map.Offsets[leaf]; from < map.Offsets[leaf + 1]; from += PartitionedOptions.BlockRows)
            RunBlock(from, Math.Min(PartitionedOptions.BlockRows, map.Offsets[leaf + 1] - from));
    }

    public void Dispose()
    {
        _context.Effort.Add(_computed + _levels.Computed + _pruner.Computed);
        _lease.Dispose();
        _levels.Dispose();
        _panel.Dispose();
        _block.Dispose();
        _reservoirs.Dispose();
        _pruner.Dispose();
    }

    private void RunBlock(int first, int rows)
    {
        ReadOnlySpan<int> near = _near.Listed[..Math.Min(_context.Options.NearLeaves, _near.Listed.Length)];
        _lease.Begin();
        _table.Ask(_lease, first, rows);
        _lease.Fetch();
        for (int i = 0; i < rows; i++)
            _rows[i] = first + i;
        _panel.Pack(_context.Map.Centroids.Rows, near);
        _block.Compute(_vectors, _rows.AsSpan(0, rows), _panel);
        _probes.Choose(_block, rows, near.Length, _context.Options.Probes);
        _reservoirs.Clear(rows);
        Prefetch(near);
        for (int bucket = 0; bucket < near.Length; bucket++)
        {
            _context.CancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<int> looking = _probes.Rows(bucket);
            if (looking.Length > 0)
                Scan(near[bucket], first, rows, looking);
        }

        for (int i = 0; i < rows; i++)
            _rows[i] = first + i;
        _lease.Begin();
        _table.Ask(_lease, first, rows);
        _lease.Fetch();
        _levels.Choose(_rows.AsSpan(0, rows));
        for (int i = 0; i < rows; i++)
        {
            _context.CancellationToken.ThrowIfCancellationRequested();
            Link(first + i, i);
        }

        _links.Retire(_lease, first, rows);
    }

    // Reads all leaves that rows will look into together.
    private void Prefetch(ReadOnlySpan<int> near)
    {
        if (_context.Paging is null)
            return;
        for (int bucket = 0; bucket < near.Length; bucket++)
        {
            if (_probes.Rows(bucket).Length > 0)
                _table.Hint(_lease, _context.Map.Offsets[near[bucket]], _context.Map.Size(near[bucket]));
        }

        _lease.Prefetch();
    }

    // Offers the points of a leaf to the rows that look into it.
    private void Scan(int leaf, int first, int rows, ReadOnlySpan<int> looking)
    {
        _lease.Begin();
        _table.Ask(_lease, first, rows);
        _table.Ask(_lease, _context.Map.Offsets[leaf], _context.Map.Size(leaf));
        _lease.Fetch();
        _candidates.Clear();
        _copies.ListCandidates(_context.Map.Offsets[leaf], _context.Map.Offsets[leaf + 1], _candidates);
        Span<int> candidates = CollectionsMarshal.AsSpan(_candidates);
        if (candidates.Length > 0)
        {
            _panel.Pack(_vectors, candidates);
            _computed += (long)candidates.Length * looking.Length;
        }

        for (int from = 0; from < looking.Length && candidates.Length > 0; from += ChunkRows)
        {
            ReadOnlySpan<int> chunk = looking[from..Math.Min(from + ChunkRows, looking.Length)];
            for (int i = 0; i < chunk.Length; i++)
                _rows[i] = first + chunk[i];
            _block.Compute(_vectors, _rows.AsSpan(0, chunk.Length), _panel);
            for (int i = 0; i < chunk.Length; i++)
                _reservoirs.Offer(chunk[i], first + chunk[i], _block.Row(i), candidates);
        }
    }

    private void Link(int position, int row)
    {
        _keys.Start(position);
        _reservoirs.Finish(row, out ReadOnlySpan<float> distances, out ReadOnlySpan<int> positions);
        for (int i = 0; i < positions.Length; i++)
            _keys.Add(distances[i], positions[i]);
        _levels.AddTo(_keys, position, row);
        if (_copies.Next(position) != position)
            _keys.Add(0, _copies.Next(position));
        _keys.SortDistinct();
        HoldCandidates(position);
        int degree = _pruner.Prune(_keys, _context.Parameters.Alpha, fill: 0, _chosen);
        _links.SetLinks(position, _chosen.AsSpan(0, degree));
    }

    // Most of what the choice of links needs has just been read.
    private void HoldCandidates(int position)
    {
        if (_context.Paging is null)
            return;
        _lease.Renew(_keys.Count * _table.RowBlocks + PagedMemory.BlocksOf(_links.RowBytes));
        _links.Ask(_lease, position, 1);
        for (int i = 0; i < _keys.Count; i++)
            _table.Ask(_lease, [_keys.Position(i)]);
        _lease.Fetch();
    }
}
