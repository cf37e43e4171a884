using VectorPipe.Building.Graphs;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Searches for a sample of the points from the entry and, where a search ends without its point, links to the point from where it ended.
/// That every
/// point can be reached does not mean that a greedy search gets there: whole clusters may be out of its way.
/// </summary>
internal sealed class SearchRepair
{
    private const uint RepairPurpose = 3;
    private const int LinksPerMiss = 4;

    // A search takes far more reads than any other step of a paged build: of a large set a thinner sample tells as much.
    private const int MinSearched = 20_000;
    private const int MaxSearched = 125_000;
    private const int MostSearchedWhole = 1_000_000;

    // A further round is worth its time while the one before left no more of the misses than this.
    private const double LeastGain = 0.7;

    // Searches of a leaf for which it pays to bring in what is around.
    private const int LeastForWindow = 64;

    private readonly BuildContext _context;
    private readonly LinkTable _links;

    /// <param name="context">The build.</param>
    /// <param name="links">Changed in place.</param>
    public SearchRepair(BuildContext context, LinkTable links)
    {
        _context = context;
        _links = links;
    }

    /// <summary>Points that the first round searches for, about.</summary>
    public static long FirstSearched(long count, int rate) => Math.Min(count, Math.Clamp(count / rate, MinSearched, MaxSearched));

    /// <summary>Runs rounds of searching and linking until few enough are missed, or links do not help.</summary>
    public void Run()
    {
        double share = (double)FirstSearched(_context.Count, _context.Options.RepairRate) / _context.Count;
        double before = 1;
        for (uint round = 0; round < _context.Options.RepairRounds; round++)
        {
            double missed = Search(round, share, out long[] wanted);
            if (wanted.Length > 0)
                Link(wanted);

            // Points that are out of the way are found after links to some of their kind; where as many are missed as before, it is the
            // short list that misses them.
            if (missed <= _context.Options.RepairGoal || missed > before * LeastGain)
                break;
            before = missed;

            // What a sample misses, others of their kind miss too: a few in a thousand are not worth a search for all, more are, unless
            // there are very many.
            if (_context.Count <= MostSearchedWhole)
                share = 1;
        }
    }

    // The share that was missed, and the links that would have led there: source in the upper half, target in the lower, in that order.
    private double Search(uint round, double share, out long[] wanted)
    {
        var leaves = new MissedPoints?[_context.Map.Count];
        long searched = 0;
        var meter = new ProgressMeter(_context.Progress, "repair", _context.Count);
        WorkQueue.Run(
            _context.Parameters.Threads,
            leaves.Length,
            () => new RepairWorker(_context, _links),
            (worker, leaf) =>
            {
                leaves[leaf] = SearchLeaf(worker, round, share, leaf, out int count);
                Interlocked.Add(ref searched, count);
                meter.Advance(_context.Map.Size(leaf));
            },
            _context.CancellationToken);
        meter.Complete();
        wanted = [.. leaves.SelectMany(leaf => leaf?.Wanted ?? [])];
        StoppableSort.Sort<long>(wanted, _context.CancellationToken);
        return (double)leaves.Sum(leaf => leaf?.Missed ?? 0) / Math.Max(1, searched);
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
