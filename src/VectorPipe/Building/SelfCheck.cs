namespace VectorPipe.Building;

/// <summary>The acceptance of a graph: the share of a sample of its points that a search from the entry finds.</summary>
internal static class SelfCheck
{
    /// <summary>Points that are searched for, at most, unless the caller says otherwise.</summary>
    public const int DefaultSampleSize = 20_000;

    /// <summary>L of the searches, unless the caller says otherwise.</summary>
    public const int DefaultListSize = 10;

    private const uint CheckPurpose = 64;
    private const int BlockPoints = 256;

    /// <summary>Searches for a sample of the points and tells the result in the report, the same at any number of threads.</summary>
    /// <param name="graph">The finished graph.</param>
    /// <param name="points">Its points.</param>
    /// <param name="parameters">Threads, and the seed of the sample.</param>
    /// <param name="sampleSize">Points to search for, about, at most.</param>
    /// <param name="listSize">L of the searches.</param>
    /// <param name="report">Receives the counts; a copy of a point counts as the point.</param>
    /// <param name="progress">Told the points searched for; may be null.</param>
    /// <param name="cancellationToken">Observed every few hundred searches.</param>
    public static void Run(
        SharedGraph graph, PointSet points, GraphParameters parameters, int sampleSize, int listSize, GraphReport report, IProgress<GraphProgress>? progress, CancellationToken cancellationToken)
    {
        double share = (double)sampleSize / points.Count;
        var sample = new List<int>();
        for (int point = 0; point < points.Count; point++)
        {
            if (share >= 1 || PointHash.IsSampled(parameters.Seed, CheckPurpose, point, share))
                sample.Add(point);
        }

        var meter = new ProgressMeter(progress, "check", sample.Count);
        int found = 0;
        WorkQueue.Run(
            parameters.Threads,
            (sample.Count + BlockPoints - 1) / BlockPoints,
            () => new Searcher(new GreedySearch(graph, points, new VisitMarks(points.Count), listSize)),
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
            cancellationToken);
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
