using VectorPipe.Building.Phases;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Keeps what the phases before it have made, see <see cref="GraphSnapshot"/>.</summary>
internal sealed class KeepPhase(GraphSize size, GraphWork work) : WorkPhase
{
    public override string Name => "graph: keep";

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 3) + ScratchWriter.MemoryBytes, size.TableBytes(1, isPaged), size.SearchBytes(threads));

    public override double Seconds(int threads) => GraphSnapshot.BytesOf(size) / MachineModel.ReadBytesPerSecond;

    public override void Run(BuildRun run)
    {
        new GraphSnapshot(size, work).Write(run, Stage);
        run.Report(this, size.Count, size.Count);
    }
}
