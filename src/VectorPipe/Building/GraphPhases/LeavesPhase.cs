using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Chooses first links, see <see cref="LeafPhase"/>.</summary>
internal sealed class LeavesPhase(GraphSize size, GraphWork work) : WorkPhase
{
    // Of each point the ring of its copies, and whether it has any.
    private const int CopyBytes = 5;

    /// <inheritdoc/>
    public override string Name => "graph: leaves";

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 1) + (CopyBytes * size.Count), size.TableBytes(1, isPaged), size.SearchBytes(threads));

    /// <inheritdoc/>
    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 12, 14, threads);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        if (size.Options.KeptNearest > 0)
            work.Nearest = new NearestTable((int)size.Count, size.Options.KeptNearest, run.Paging);
        LeafPhase.Run(work.RequireContext(), work.BeginLinks());
        work.EndLinks();
    }
}
