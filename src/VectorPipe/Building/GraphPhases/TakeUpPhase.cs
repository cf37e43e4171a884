using VectorPipe.Building.Phases;
using VectorPipe.Diagnostics;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Takes up what an earlier build of the same index has kept: the phases that made it are left out.</summary>
internal sealed class TakeUpPhase(GraphSize size, GraphWork work) : WorkPhase
{
    public override string Name => "graph: take up";

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 2) + ScratchReader.MemoryBytes, size.TableBytes(1, isPaged), size.SearchBytes(threads));

    public override double Seconds(int threads) => 0;

    public override void Run(BuildRun run)
    {
        try
        {
            work.TakenUpFrom = new GraphSnapshot(size, work).Read(run);
        }
        catch (Exception e) when (e is IndexCorruptException or DeviceException)
        {
            // All of it can be made anew.
            BuildLog.NotTakenUp(run.Target.Logger, e, run.Target.Directory);
        }

        if (work.TakenUpFrom == 0)
            return;
        BuildLog.TakenUp(run.Target.Logger, run.Target.Directory, work.TakenUpFrom, GraphSnapshot.Last);
        if (work.TakenUpFrom < GraphSnapshot.Last)
            return;
        work.HandOver();
        work.EndGraph();
    }
}
