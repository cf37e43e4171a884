using VectorPipe.Building.Graphs;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Partitioned;

/// <summary>Searches for points from the entry, and adds links to a missed point from where its search ended.</summary>
/// <remarks>
/// A point that is reachable may still be missed by a greedy search: whole clusters can lie out of its way. So each round searches for a
/// sample of the points for which none did before, and for all points of the leaves in which the round before missed most. Of a large set
/// the first sample is thin, and rounds grow. See docs/decisions.md#repair.
/// </remarks>
internal sealed class SearchRepair(BuildContext context, LinkTable links)
{
    private const uint RepairPurpose = 3;
    private const int LinksPerMiss = 4;

    // A search takes more reads than any other step of a paged build, and of a large set a thinner sample says as much.
    private const int MinSearched = 20_000;
    private const int MaxSearched = 125_000;

    // Another round pays if the one before left at most this share of the misses.
    private const double LeastGain = 0.9;

    // From so many searches in a leaf on it pays to read the rows around it.
    private const int LeastForWindow = 64;

    private readonly LeafSearch[] _leaves = new LeafSearch[context.Map.Count];
    private readonly bool[] _wereWhole = new bool[context.Map.Count];

    // Places of the present sample. Rounds search for other points, until all have had their turn.
    private double _from;
    private double _to;
    private long _searched;

    /// <summary>Points that all rounds search for, about: of real-like sets, those of the first round, or a third of a large one.</summary>
    public static long ExpectedSearched(long count, int rate) => count > MaxSearched * (long)rate ? count / 3 : FirstSearched(count, rate);

    /// <summary>Points that a round searches for, about, after one that searched for so many: twice as many, up to one in a rate.</summary>
    public static long NextSearched(long searched, long count, int rate) => Math.Max(searched, Math.Min(2 * searched, count / rate));

    /// <summary>Runs rounds of searching and linking until few enough are missed, or links do not help.</summary>
    public void Run()
    {
        int rate = context.Options.RepairRate;
        long sampled = FirstSearched(context.Count, rate);
        double before = 1;
        for (uint round = 0; round < context.Options.RepairRounds; round++)
        {
            _to = Math.Min(1, _from + ((double)sampled / context.Count));
            Search();
            long[] wanted = [.. _leaves.SelectMany(leaf => leaf.Wanted ?? [])];
            StoppableSort.Sort<long>(wanted, context.CancellationToken);
            if (wanted.Length > 0)
                Link(wanted);

            // Points out of the way are found after links to some of their kind. If as many are missed as before, the cause is the short
            // list.
            double missed = (double)_leaves.Sum(leaf => leaf.MissedOfSample) / Math.Max(1, _leaves.Sum(leaf => leaf.Sampled));
            double share = PassOn();
            if (missed * share <= context.Options.RepairGoal || missed > before * LeastGain)
                break;
            before = missed;
            sampled = NextSearched(sampled, context.Count, rate);
            ChooseLeaves(sampled);
        }
    }

    // The first round.
    private static long FirstSearched(long count, int rate) => Math.Min(count, Math.Clamp(count / rate, MinSearched, MaxSearched));

    // Passes on to the points of the next round. Returns the share of the points of which the last sample tells: those that were not
    // searched for, or all when there are no others.
    private double PassOn()
    {
        _from = _to;
        _searched += _leaves.Sum(leaf => (long)leaf.Searched);
        if (_from < 1 && _searched < context.Count)
            return 1 - ((double)_searched / context.Count);
        (_from, _searched) = (0, 0);
        Array.Clear(_wereWhole);
        return 1;
    }

    // Those with most misses, until they have as many points as the sample.
    private void ChooseLeaves(long points)
    {
        for (int leaf = 0; leaf < _leaves.Length; leaf++)
            _wereWhole[leaf] |= _leaves[leaf].IsWhole && _from > 0;
        int[] byMisses =
        [
            .. Enumerable.Range(0, _leaves.Length).Where(leaf => _leaves[leaf].Wanted is not null && !_wereWhole[leaf])
                .OrderByDescending(leaf => _leaves[leaf].Missed),
        ];
        Array.Clear(_leaves);
        foreach (int leaf in byMisses)
        {
            if ((points -= context.Map.Size(leaf)) < 0)
                break;
            _leaves[leaf].IsWhole = true;
        }
    }

    private void Search()
    {
        var meter = new ProgressMeter(context.Progress, "repair", context.Count);
        WorkQueue.Run(
            context.Parameters.Threads,
            _leaves.Length,
            () => new RepairWorker(context, links),
            (worker, leaf) =>
            {
                SearchLeaf(worker, leaf);
                meter.Advance(context.Map.Size(leaf));
            },
            context.CancellationToken);
        meter.Complete();
    }

    private void SearchLeaf(RepairWorker worker, int leaf)
    {
        ref LeafSearch search = ref _leaves[leaf];
        if (_wereWhole[leaf])
            return;
        if (search.IsWhole || (_to - _from) * context.Map.Size(leaf) >= LeastForWindow)
            worker.Open(leaf);
        for (int position = context.Map.Offsets[leaf]; position < context.Map.Offsets[leaf + 1]; position++)
        {
            double place = PointHash.PlaceOf(context.Parameters.Seed, RepairPurpose, context.Map.Points[position]);
            bool isSampled = place < _to;
            if (place < _from || (!isSampled && !search.IsWhole))
                continue;
            context.CancellationToken.ThrowIfCancellationRequested();
            search.Searched++;
            search.Sampled += isSampled ? 1 : 0;
            if (worker.Search(position, out ReadOnlySpan<ulong> nearest))
                continue;
            search.Missed++;
            search.MissedOfSample += isSampled ? 1 : 0;

            // Sources in the upper half, the target in the lower.
            search.Wanted ??= [];
            foreach (ulong key in nearest[..Math.Min(LinksPerMiss, nearest.Length)])
                search.Wanted.Add((long)PointKey.Point(key) << 32 | (uint)position);
        }
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

    private record struct LeafSearch
    {
        public bool IsWhole { get; set; }

        public int Searched { get; set; }

        public int Sampled { get; set; }

        public int Missed { get; set; }

        public int MissedOfSample { get; set; }

        public List<long>? Wanted { get; set; }
    }
}
