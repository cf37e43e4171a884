using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Looks for better links around each point, see <see cref="Refiner"/>.</summary>
internal sealed class RefinePhase(GraphSize size, GraphWork work) : WorkPhase
{
    // Threads that refine for one that computes.
    private const int MostRefinersEach = 4;
    private const double UnitExpansions = 20;

    private int _more;

    /// <inheritdoc/>
    public override string Name => "graph: refine";

    /// <summary>Threads that refine; null for those that the plan has room for.</summary>
    public int? Refiners { get; init; }

    // A thread reads one more table if nearest points are kept.
    private long ReaderBytes => size.Options.KeptNearest > 0 ? BlockReader.MemoryBytes : 0;

    /// <summary>Threads that refine.</summary>
    /// <param name="threads">Worker threads.</param>
    public int RefinersOf(int threads) => Refiners ?? threads + _more;

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 1) + (threads * ReaderBytes), size.TableBytes(2, isPaged), size.SearchBytes(threads));

    /// <inheritdoc/>
    public override long Grow(long? room, int threads)
    {
        if (room is not { } bytes)
            return 0;

        // A thread that refines waits for the disk most of the time, one read at a time. More of them keep the disk busy, as long as the
        // pages that they displace are not missed.
        long held = MachineModel.ThreadBytes + ReaderBytes;
        _more = (int)Math.Clamp(bytes / 4 / (held + size.SearchBytesOfThread), 0, (MostRefinersEach - 1) * threads);
        return _more * held;
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) =>
        size.Vectors.Seconds(size.Count, 11, 14, threads) * size.MaxDegree / 64 * size.Options.RefineExpansions / UnitExpansions;

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        Refiner.Run(work.RequireContext(), work.Links!, work.BeginLinks(), work.Nearest, RefinersOf(run.Threads));
        work.EndLinks();
    }
}
