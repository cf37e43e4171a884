using VectorPipe.Building.Phases;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Building;

/// <summary>Makes the files that are written the index.</summary>
/// <param name="work">What the phases hand on.</param>
/// <param name="generations">Publishes.</param>
internal sealed class PublishPhase(BuildWork work, GenerationWriter generations) : WorkPhase
{
    private const double SyncSeconds = 0.1;

    /// <inheritdoc/>
    public override string Name => "publish";

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged) => new(0);

    /// <inheritdoc/>
    public override double Seconds(int threads) => SyncSeconds;

    /// <inheritdoc/>
    public override void Run(BuildRun run) => work.IndexBytes = generations.Publish(work.Manifest(run.Target.Generation));
}
