using VectorPipe.Building.Graphs;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Partitioned;

/// <summary>Searches for a sample of the points from the entry, and adds links to a missed point from where its search ended.</summary>
/// <remarks>A point that is reachable may still be missed by a greedy search: whole clusters can lie out of its way.</remarks>
internal sealed class SearchRepair(BuildContext context, LinkTable links)
{
    private const uint RepairPurpose = 3;
    private const int LinksPerMiss = 4;

    // A search takes more reads than any other step of a paged build, and of a large set a thinner sample says as much.
    private const int MinSearched = 20_000;
    private const int MaxSearched = 125_000;
    private const int MostSearchedWhole = 1_000_000;

    // Another round pays if the one before left at most this share of the misses.
    private const double LeastGain = 0.7;

    // From so many searches in a leaf on it pays to read the rows around it.
    private const int LeastForWindow = 64;

    /// <summary>Points that the first round searches for, about.</summary>
    public static long FirstSearched(long count, int rate) => Math.Min(count, Math.Clamp(count / rate, MinSearched, MaxSearched));

    /// <summary>Runs rounds of searching and linking until few enough are missed, or links do not help.</summary>
    public void Run()
    {
        double share = (double)FirstSearched(context.Count, context.Options.RepairRate) / context.Count;
        double before = 1;
        for (uint round = 0; round < context.Options.RepairRounds; round++)
        {
            double missed = Search(round, share, out long[] wanted);
            if (wanted.Length > 0)
                Link(wanted);

            // Points out of the way are found after links to some of their kind. If as many are missed as before, the cause is the short
            // list.
            if (missed <= context.Options.RepairGoal || missed > before * LeastGain)
                break;
            before = missed;

            // A sample stands for others of its kind: a few misses in a thousand are not worth a search for all points, more are, unless
            // there are very many points.
            if (context.Count <= MostSearchedWhole)
                share = 1;
        }
    }

    // Returns the share that was missed. Wanted links have the source in the upper half and the target in the lower, and are sorted.
    private double Search(uint round, double share, out long[] wanted)
    {
        var leaves = new MissedPoints?[context.Map.Count];
        long searched = 0;
        var meter = new ProgressMeter(context.Progress, "repair", context.Count);
        WorkQueue.Run(
            context.Parameters.Threads,
            leaves.Length,
            () => new RepairWorker(context, links),
            (worker, leaf) =>
            {
                leaves[leaf] = SearchLeaf(worker, round, share, leaf, out int count);
                Interlocked.Add(ref searched, count);
                meter.Advance(context.Map.Size(leaf));
            },
            context.CancellationToken);
        meter.Complete();
        wanted = [.. leaves.SelectMany(leaf => leaf?.Wanted ?? [])];
        StoppableSort.Sort<long>(wanted, context.CancellationToken);
        return (double)leaves.Sum(leaf => leaf?.Missed ?? 0) / Math.Max(1, searched);
    }

    private MissedPoints? SearchLeaf(RepairWorker worker, uint round, double share, int leaf, out int searched)
    {
        MissedPoints? misses = null;
        searched = 0;
        if (share * context.Map.Size(leaf) >= LeastForWindow)
            worker.Open(leaf);
        for (int position = context.Map.Offsets[leaf]; position < context.Map.Offsets[leaf + 1]; position++)
        {
            if (share < 1 && !PointHash.IsSampled(context.Parameters.Seed, RepairPurpose + round, context.Map.Points[position], share))
                continue;
            context.CancellationToken.ThrowIfCancellationRequested();
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
            context.Parameters.Threads,
            starts.Count - 1,
            () => new RepairWorker(context, links),
            (worker, group) => worker.Link((int)(wanted[starts[group]] >> 32), wanted.AsSpan(starts[group]..starts[group + 1])),
            context.CancellationToken);
    }

    private sealed class MissedPoints
    {
        public int Missed { get; set; }

        public List<long> Wanted { get; } = [];
    }
}
