using VectorPipe.Building.Work;

namespace VectorPipe.Building.Graphs;

/// <summary>Measures the share of a sample of the points that a search from the entry finds.</summary>
internal static class SelfCheck
{
    public const int DefaultSampleSize = 20_000;

    /// <summary>L of the searches.</summary>
    public const int DefaultListSize = 10;

    private const uint CheckPurpose = 64;
    private const int BlockPoints = 256;

    /// <summary>Searches for a sample of about so many points, and reports the counts; a copy of a point counts as the point.</summary>
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
