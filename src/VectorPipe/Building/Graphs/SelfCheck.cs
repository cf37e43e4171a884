using VectorPipe.Building.Work;

namespace VectorPipe.Building.Graphs;

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
    /// <param name="openSearch">Opens a search of the finished graph for a thread.</param>
    /// <param name="count">Points of the graph.</param>
    /// <param name="parameters">Threads, and the seed of the sample.</param>
    /// <param name="sampleSize">Points to search for, about, at most.</param>
    /// <param name="report">Receives the counts; a copy of a point counts as the point.</param>
    /// <param name="progress">Told the points searched for; may be null.</param>
    /// <param name="cancellationToken">Observed at every search.</param>
    public static void Run(
        Func<IPointSearch> openSearch, int count, GraphParameters parameters, int sampleSize, GraphReport report,
        IProgress<GraphProgress>? progress, CancellationToken cancellationToken)
    {
        double share = (double)sampleSize / count;
        var sample = new List<int>();
        for (int point = 0; point < count; point++)
        {
            if (share >= 1 || PointHash.IsSampled(parameters.Seed, CheckPurpose, point, share))
                sample.Add(point);
        }

        var meter = new ProgressMeter(progress, "check", sample.Count);
        int found = 0;
        WorkQueue.Run(
            parameters.Threads,
            (sample.Count + BlockPoints - 1) / BlockPoints,
            openSearch,
            (search, block) =>
            {
                int from = block * BlockPoints;
                int size = Math.Min(BlockPoints, sample.Count - from);
                int hits = 0;
                for (int i = from; i < from + size; i++)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    search.Run(sample[i]);
                    hits += PointKey.Distance(search.Nearest[0]) == 0 ? 1 : 0;
                }

                Interlocked.Add(ref found, hits);
                meter.Advance(size);
            },
            cancellationToken);
        meter.Complete();
        report.Checked = sample.Count;
        report.FoundThemselves = found;
    }
}
