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

    // Ranges of shuffled in-links that are read together: see docs/decisions.md#windows-of-shuffles.
    private const int MostRangesTogether = 16;

    // The rest of the room goes to the tables.
    private const int RangesShare = 8;

    private int _rangesTogether = 1;

    public override string Name => "graph: merge";

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long range = (isPaged ? (long)PagedLinkBytes : LinkBytes) * size.MaxDegree * RangeRows(isPaged);
        long held = size.HeldBytes(threads, positions: 1) + (threads * (size.Count + range + (2L * ScratchReader.MemoryBytes)));
        return new PhaseNeeds(held, size.TableBytes(2, isPaged), size.SearchBytes(threads));
    }

    public override long Grow(long? room, int threads)
    {
        if (room is not { } bytes)
            return 0;
        long range = threads * ShuffledInLinks.RangeRows * (long)size.MaxDegree * ShuffledInLinks.LinkBytes;
        long ranges = Math.Min(MostRangesTogether, ((size.Count - 1) / ShuffledInLinks.RangeRows / threads) + 1);
        _rangesTogether = (int)Math.Clamp(1 + (bytes / RangesShare / range), 1, ranges);
        return (_rangesTogether - 1) * range;
    }

    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 2, isLast ? 10 : 2.5, threads) * size.MaxDegree / 64;

    public override void Run(BuildRun run)
    {
        BuildContext context = work.RequireContext();
        float alpha = isLast ? context.RefineAlpha : context.Parameters.Alpha;
        float fill = isLast ? context.Options.Fill : 0;
        LinkTable frozen = work.Links!, merged = work.BeginLinks();
        bool isShuffled = work.InLinks is not null;
        int count = context.Count, rangeRows = RangeRows(isShuffled), together = isShuffled ? rangeRows * _rangesTogether : rangeRows;
        var meter = new ProgressMeter(context.Progress, "merge", count);
        WorkQueue.Run(
            run.Threads,
            (count - 1) / together + 1,
            () => new MergeWorker(context, frozen, work.InLinks, merged, alpha, fill, rangeRows),
            (worker, piece) => worker.Run(piece * together, Math.Min(together, count - piece * together), meter),
            run.CancellationToken);
        meter.Complete();
        work.InLinks?.Dispose();
        work.InLinks = null;
        work.EndLinks(isLast);
    }

    private int RangeRows(bool isShuffled) =>
        isShuffled ? ShuffledInLinks.RangeRows : (int)Math.Clamp(size.Count / MinRanges, MinRangeRows, MaxRangeRows);
}
