using VectorPipe.Building.Paging;
using VectorPipe.Building.Space;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.Phases;

/// <summary>A build that runs, as its phases see it.</summary>
/// <param name="threads">Worker threads.</param>
/// <param name="space">Where tables are paged; null to have them in memory.</param>
/// <param name="progress">Receives the share of the running phase that is done; may be null.</param>
/// <param name="cancellationToken">Observed by all phases.</param>
internal sealed class BuildRun(int threads, BuildSpace? space, IProgress<GraphProgress>? progress, CancellationToken cancellationToken)
{
    private readonly BuildTarget? _target;

    /// <summary>Worker threads.</summary>
    public int Threads => threads;

    /// <summary>Where tables are paged; null to have them in memory.</summary>
    public BuildSpace? Space => space;

    /// <summary>The memory of paged tables; null to have them in memory.</summary>
    public PagedMemory? Paging => space?.Memory;

    /// <summary>Receives the share of the running phase that is done; may be null.</summary>
    public IProgress<GraphProgress>? Progress => progress;

    /// <summary>Observed by all phases.</summary>
    public CancellationToken CancellationToken => cancellationToken;

    /// <summary>Where the index goes. A graph that is built for its own sake has none.</summary>
    public BuildTarget Target
    {
        get => _target ?? throw new InvalidOperationException("A build without a directory has no phase that writes.");
        init => _target = value;
    }

    /// <summary>Reports the share of the running phase that is done.</summary>
    /// <param name="phase">The phase.</param>
    /// <param name="done">Units that are done.</param>
    /// <param name="total">Units of the phase.</param>
    public void Report(Phase phase, long done, long total) => progress?.Report(new GraphProgress(phase.Name, done, total));
}
