namespace VectorPipe.Building.Partitioned;

/// <summary>The acceptance of a graph: the share of a sample of its points that a search from the entry finds.</summary>
internal static class SelfCheck
{
    private const uint CheckPurpose = 64;
    private const int BlockPoints = 256;

    /// <summary>Searches for the sample with the build's repair list size and tells the result in the report.</summary>
    /// <param name="graph">The finished graph, in the caller's numbers.</param>
    /// <param name="points">Its points.</param>
    /// <param name="context">The build.</param>
    /// <param name="report">Receives the share; a copy of a point counts as the point.</param>
    public static void Run(SharedGraph graph, PointSet points, BuildContext context, GraphReport report)
    {
        double share = (double)context.Options.CheckedPoints / context.Count;
        var sample = new List<int>();
        for (int point = 0; point < context.Count; point++)
        {
            if (share >= 1 || PointHash.IsSampled(context.Parameters.Seed, CheckPurpose, point, share))
                sample.Add(point);
        }

        var meter = new ProgressMeter(context.Progress, "check", sample.Count);
        int found = 0;
        WorkQueue.Run(
            context.Parameters.Threads,
            (sample.Count + BlockPoints - 1) / BlockPoints,
            () => new Searcher(new GreedySearch(graph, points, new VisitMarks(context.Count), context.Options.RepairList)),
            (searcher, block) =>
            {
                int from = block * BlockPoints;
                int count = Math.Min(BlockPoints, sample.Count - from);
                int hits = 0;
                for (int i = from; i < from + count; i++)
                {
                    searcher.Search.Run(sample[i]);
                    hits += PointKey.Distance(searcher.Search.Nearest[0]) == 0 ? 1 : 0;
                }

                Interlocked.Add(ref found, hits);
                meter.Advance(count);
            },
            context.CancellationToken);
        meter.Complete();
        report.Checked = sample.Count;
        report.FoundThemselves = found;
    }

    private readonly record struct Searcher(GreedySearch Search) : IDisposable
    {
        public void Dispose()
        {
        }
    }
}
