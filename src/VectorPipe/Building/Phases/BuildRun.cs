using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Building.Work;

namespace VectorPipe.Building.Phases;

/// <summary>A running build, as its phases see it.</summary>
internal sealed class BuildRun(int threads, BuildSpace? space, IProgress<GraphProgress>? progress, CancellationToken cancellationToken)
{
    private readonly BuildTarget? _target;

    /// <summary>Worker threads.</summary>
    public int Threads => threads;

    /// <summary>Pages tables; null if they are in memory.</summary>
    public BuildSpace? Space => space;

    /// <summary>The memory of paged tables; null if they are in memory.</summary>
    public PagedMemory? Paging => space?.Memory;

    /// <summary>Counts the bytes of shuffles.</summary>
    public ShuffleTraffic Shuffles { get; } = space?.Shuffles ?? new ShuffleTraffic();

    public IProgress<GraphProgress>? Progress => progress;

    public CancellationToken CancellationToken => cancellationToken;

    /// <summary>The directory of the index. A graph built for its own sake has none.</summary>
    public BuildTarget Target
    {
        get => _target ?? throw new InvalidOperationException("A build without a directory has no phase that writes.");
        init => _target = value;
    }

    /// <summary>Reports progress of the running phase.</summary>
    public void Report(Phase phase, long done, long total) => progress?.Report(new GraphProgress(phase.Name, done, total));
}
