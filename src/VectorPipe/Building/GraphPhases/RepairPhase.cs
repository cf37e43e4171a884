using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Links to points that searches miss, see <see cref="SearchRepair"/>.</summary>
internal sealed class RepairPhase(GraphSize size, GraphWork work) : WorkPhase
{
    public override string Name => "graph: repair";

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 1) + (threads * size.Count), size.TableBytes(1, isPaged), size.SearchBytes(threads));

    public override double Seconds(int threads) =>
        size.Vectors.Seconds(SearchRepair.ExpectedSearched(size.Count, size.Options.RepairRate), 6, 5, threads);

    public override void Run(BuildRun run)
    {
        new SearchRepair(work.RequireContext(), work.Links!).Run();
        work.HandOver();
    }
}
