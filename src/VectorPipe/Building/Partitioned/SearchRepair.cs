namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Searches for a sample of the points from the entry and, where a search ends without its point, links to the point from where it ended. That every
/// point can be reached does not mean that a greedy search gets there: whole clusters may be out of its way.
/// </summary>
internal sealed class SearchRepair
{
    private const uint RepairPurpose = 3;
    private const int LinksPerMiss = 4;

    // A search takes far more reads than any other step of a paged build: of a large set a share that tells of every leaf is enough to begin with.
    private const int MinSearched = 20_000;
    private const int MaxSearched = 125_000;

    // Searches of a leaf for which it pays to bring in what is around.
    private const int LeastForWindow = 8;

    private readonly BuildContext _context;
    private readonly LinkTable _links;
    private readonly bool[] _suspects;

    /// <param name="context">The build.</param>
    /// <param name="links">Changed in place.</param>
    public SearchRepair(BuildContext context, LinkTable links)
    {
        _context = context;
        _links = links;
        _suspects = new bool[context.Map.Count];
        Array.Fill(_suspects, true);
    }

    /// <summary>Points that the first round searches for, about.</summary>
    public static long FirstSearched(long count, int rate) => Math.Min(count, Math.Clamp(count / rate, MinSearched, MaxSearched));

    /// <summary>Runs rounds of searching and linking until few enough are missed.</summary>
    public void Run()
    {
        double share = (double)FirstSearched(_context.Count, _context.Options.RepairRate) / _context.Count;
        for (uint round = 0; round < _context.Options.RepairRounds; round++)
        {
            MissedPoints?[] leaves = Search(round, share, out int searched);
            int missed = leaves.Sum(leaf => leaf?.Missed ?? 0);
            long[] wanted = [.. leaves.SelectMany(leaf => leaf?.Wanted ?? [])];
            Array.Sort(wanted);
            if (wanted.Length > 0)
                Link(wanted);
            if (missed <= searched * _context.Options.RepairGoal)
                break;

            // What a sample misses, others of its leaf miss too: a few in a thousand are not worth a search for all around, more are.
            for (int leaf = 0; leaf < leaves.Length; leaf++)
                _suspects[leaf] = leaves[leaf] is not null;
            share = 1;
        }
    }

    // By leaf the links that would have led to its missed points; null where none was missed.
    private MissedPoints?[] Search(uint round, double share, out int searched)
    {
        var leaves = new MissedPoints?[_context.Map.Count];
        int all = 0;
        var meter = new ProgressMeter(_context.Progress, "repair", _context.Count);
        WorkQueue.Run(
            _context.Parameters.Threads,
            leaves.Length,
            () => new RepairWorker(_context, _links),
            (worker, leaf) =>
            {
                if (_suspects[leaf])
                {
                    leaves[leaf] = SearchLeaf(worker, round, share, leaf, out int count);
                    Interlocked.Add(ref all, count);
                }

                meter.Advance(_context.Map.Size(leaf));
            },
            _context.CancellationToken);
        meter.Complete();
        searched = all;
        return leaves;
    }

    private MissedPoints? SearchLeaf(RepairWorker worker, uint round, double share, int leaf, out int searched)
    {
        MissedPoints? misses = null;
        searched = 0;
        if (share * _context.Map.Size(leaf) >= LeastForWindow)
            worker.Open(leaf);
        for (int position = _context.Map.Offsets[leaf]; position < _context.Map.Offsets[leaf + 1]; position++)
        {
            if (share < 1 && !PointHash.IsSampled(_context.Parameters.Seed, RepairPurpose + round, _context.Map.Points[position], share))
                continue;
            _context.CancellationToken.ThrowIfCancellationRequested();
            searched++;
            if (worker.Search(position, out ReadOnlySpan<ulong> nearest))
                continue;
            misses ??= new MissedPoints();
            misses.Missed++;
            foreach (ulong key in nearest[..Math.Min(LinksPerMiss, nearest.Length)])
                misses.Wanted.Add((long)PointKey.Point(key) << 32 | (uint)position);
        }

        return misses;
    }

    private void Link(long[] wanted)
    {
        var starts = new List<int>();
        for (int i = 0; i < wanted.Length; i++)
        {
            if (i == 0 || wanted[i] >> 32 != wanted[i - 1] >> 32)
                starts.Add(i);
        }

        starts.Add(wanted.Length);
        WorkQueue.Run(
            _context.Parameters.Threads,
            starts.Count - 1,
            () => new RepairWorker(_context, _links),
            (worker, group) => worker.Link((int)(wanted[starts[group]] >> 32), wanted.AsSpan(starts[group]..starts[group + 1])),
            _context.CancellationToken);
    }

    // Source in the upper half, target in the lower.
    private sealed class MissedPoints
    {
        public int Missed { get; set; }

        public List<long> Wanted { get; } = [];
    }
}
