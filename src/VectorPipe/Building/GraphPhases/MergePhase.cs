using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Work;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Adds to the links of each point those of the points that link to it, and prunes lists that become too long.</summary>
/// <remarks>
/// A worker collects the links into a range of targets, sorts them by target, and merges all targets of the range: beside the two tables,
/// only the in-links of a range are in memory. The last merge has alpha and fill of refined links.
/// </remarks>
internal sealed class MergePhase(GraphSize size, GraphWork work, bool isLast) : WorkPhase
{
    // Bytes per link of a range: found, sorted and read. Arrays that grow with the links leave smaller ones behind.
    private const int LinkBytes = 32;
    private const int PagedLinkBytes = 44;

    // Targets of a range. Without shuffled in-links the merge scans all links for each range: few ranges mean few scans.
    private const int MaxRangeRows = 1 << 16;
    private const int MinRangeRows = 1 << 10;
    private const int MinRanges = 16;

    public override string Name => "graph: merge";

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long range = (isPaged ? (long)PagedLinkBytes : LinkBytes) * size.MaxDegree * RangeRows(isPaged);
        long held = size.HeldBytes(threads, positions: 1) + (threads * (size.Count + range + (2L * ScratchReader.MemoryBytes)));
        return new PhaseNeeds(held, size.TableBytes(2, isPaged), size.SearchBytes(threads));
    }

    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 2, isLast ? 10 : 2.5, threads) * size.MaxDegree / 64;

    public override void Run(BuildRun run)
    {
        BuildContext context = work.RequireContext();
        float alpha = isLast ? context.RefineAlpha : context.Parameters.Alpha;
        float fill = isLast ? context.Options.Fill : 0;
        LinkTable frozen = work.Links!, merged = work.BeginLinks();
        int count = context.Count, rangeRows = RangeRows(work.InLinks is not null);
        var meter = new ProgressMeter(context.Progress, "merge", count);
        WorkQueue.Run(
            run.Threads,
            (count - 1) / rangeRows + 1,
            () => new MergeWorker(context, frozen, work.InLinks, merged, alpha, fill),
            (worker, range) => worker.Run(range * rangeRows, Math.Min(rangeRows, count - range * rangeRows), meter),
            run.CancellationToken);
        meter.Complete();
        work.InLinks?.Dispose();
        work.InLinks = null;
        work.EndLinks(isLast);
    }

    private int RangeRows(bool isShuffled) =>
        isShuffled ? ShuffledInLinks.RangeRows : (int)Math.Clamp(size.Count / MinRanges, MinRangeRows, MaxRangeRows);
}
