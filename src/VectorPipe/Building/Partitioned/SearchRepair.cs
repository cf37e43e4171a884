namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Searches for a sample of the points from the entry and, where a search ends without its point, links to the point from where it ended. That every
/// point can be reached does not mean that a greedy search gets there: whole clusters may be out of its way.
/// </summary>
internal sealed class SearchRepair
{
    private const uint RepairPurpose = 3;
    private const int BlockRows = 4096;
    private const int LinksPerMiss = 4;

    // Of a small set all points are searched for: a thin sample of it says little, and costs nothing to widen.
    private const int MinSearched = 20_000;

    private readonly BuildContext _context;
    private readonly LinkTable _links;

    /// <param name="context">The build.</param>
    /// <param name="links">Changed in place.</param>
    public SearchRepair(BuildContext context, LinkTable links)
    {
        _context = context;
        _links = links;
    }

    /// <summary>Runs rounds of searching and linking until few enough are missed.</summary>
    public void Run()
    {
        double share = Math.Max(1.0 / _context.Options.RepairRate, (double)MinSearched / _context.Count);
        for (uint round = 0; round < _context.Options.RepairRounds; round++)
        {
            long[] wanted = FindMisses(round, share, out int searched, out int missed);
            if (wanted.Length > 0)
                Link(wanted);
            if (missed <= searched * _context.Options.RepairGoal)
                break;

            // What a sample misses, others of their kind miss too: a few in a thousand are not worth a search for all, more are.
            share = 1;
        }
    }

    // The links that would have led to the points missed: source in the upper half, target in the lower, in that order.
    private long[] FindMisses(uint round, double share, out int searched, out int missed)
    {
        var blocks = new MissedPoints[(_context.Count - 1) / BlockRows + 1];
        var meter = new ProgressMeter(_context.Progress, "repair", _context.Count);
        WorkQueue.Run(
            _context.Parameters.Threads,
            blocks.Length,
            () => new RepairWorker(_context, _links),
            (worker, block) =>
            {
                blocks[block] = SearchBlock(worker, round, share, block * BlockRows);
                meter.Advance(Math.Min(BlockRows, _context.Count - block * BlockRows));
            },
            _context.CancellationToken);
        meter.Complete();
        searched = blocks.Sum(block => block.Searched);
        missed = blocks.Sum(block => block.Missed);
        long[] wanted = [.. blocks.SelectMany(block => block.Wanted)];
        Array.Sort(wanted);
        return wanted;
    }

    private MissedPoints SearchBlock(RepairWorker worker, uint round, double share, int first)
    {
        var misses = new MissedPoints();
        int end = Math.Min(first + BlockRows, _context.Count);
        for (int position = first; position < end; position++)
        {
            if (share < 1 && !PointHash.IsSampled(_context.Parameters.Seed, RepairPurpose + round, _context.Map.Points[position], share))
                continue;
            _context.CancellationToken.ThrowIfCancellationRequested();
            misses.Searched++;
            if (worker.Search(position, out ReadOnlySpan<ulong> nearest))
                continue;
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

    private sealed class MissedPoints
    {
        public int Searched { get; set; }

        public int Missed { get; set; }

        public List<long> Wanted { get; } = [];
    }
}
