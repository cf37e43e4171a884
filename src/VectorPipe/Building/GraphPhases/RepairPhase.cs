using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Links in points that searches miss, see <see cref="SearchRepair"/>.</summary>
internal sealed class RepairPhase(GraphSize size, GraphWork work) : WorkPhase
{
    /// <inheritdoc/>
    public override string Name => "graph: repair";

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 1) + (threads * size.Count), size.TableBytes(1, isPaged), size.SearchBytes(threads));

    /// <inheritdoc/>
    public override double Seconds(int threads) =>
        size.Vectors.Seconds(SearchRepair.FirstSearched(size.Count, size.Options.RepairRate), 6, 5, threads);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        new SearchRepair(work.RequireContext(), work.Links!).Run();
        work.HandOver();
    }
}
