using VectorPipe.Building.Phases;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Building;

/// <summary>Publishes the written files as the index.</summary>
internal sealed class PublishPhase(BuildWork work, GenerationWriter generations) : WorkPhase
{
    private const double SyncSeconds = 0.1;

    public override string Name => "publish";

    public override PhaseNeeds Needs(int threads, bool isPaged) => new(0);

    public override double Seconds(int threads) => SyncSeconds;

    public override void Run(BuildRun run) => work.IndexBytes = generations.Publish(work.Manifest(run.Target.Generation));
}
