using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.GraphPhases;

/// <summary>
/// Improves the links of each point: a short search from its own links, then a choice among all points met and all links it had.
/// </summary>
internal sealed class RefinePhase(GraphSize size, GraphWork work) : WorkPhase
{
    // Most threads that refine per thread that computes.
    private const int MostRefinersEach = 4;
    private const double UnitExpansions = 20;

    private int _more;

    public override string Name => "graph: refine";

    /// <summary>Threads that refine; null for those that the plan has room for.</summary>
    public int? Refiners { get; init; }

    // A thread reads one more table if nearest points are kept.
    private long ReaderBytes => size.Options.KeptNearest > 0 ? BlockReader.MemoryBytes : 0;

    public int RefinersOf(int threads) => Refiners ?? threads + _more;

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 1) + (threads * ReaderBytes), size.TableBytes(2, isPaged), size.SearchBytes(threads));

    public override long Grow(long? room, int threads)
    {
        if (room is not { } bytes)
            return 0;

        // A refining thread mostly waits for the disk, one read at a time. More of them keep the disk busy, unless they displace pages that
        // are needed.
        long held = MachineModel.ThreadBytes + ReaderBytes;
        _more = (int)Math.Clamp(bytes / 4 / (held + size.SearchBytesOfThread), 0, (MostRefinersEach - 1) * threads);
        return _more * held;
    }

    public override double Seconds(int threads) =>
        size.Vectors.Seconds(size.Count, 11, 14, threads) * size.MaxDegree / 64 * size.Options.RefineExpansions / UnitExpansions;

    public override void Run(BuildRun run)
    {
        BuildContext context = work.RequireContext();
        LinkTable frozen = work.Links!, refined = work.BeginLinks();
        var meter = new ProgressMeter(context.Progress, "refine", context.Count);
        WorkQueue.Run(
            RefinersOf(run.Threads),
            context.Map.Count,
            () => new RefineWorker(context, frozen, refined, work.Nearest),
            (worker, leaf) =>
            {
                worker.Run(leaf);
                meter.Advance(context.Map.Size(leaf));
            },
            run.CancellationToken);
        meter.Complete();
        work.EndLinks();
    }
}
