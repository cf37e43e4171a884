using VectorPipe.Building.Shuffling;

namespace VectorPipe.Building.Paging;

/// <summary>The room of a build under a memory budget: paged memory, of which each stage gets what the stage itself does not need, and scratch files.</summary>
internal sealed class BuildSpace : IDisposable
{
    private readonly Func<BuildStage, long> _pagedBytes;
    private readonly Func<string, ShufflePaths> _pathsOf;

    /// <param name="memory">The paged memory; taken over.</param>
    /// <param name="pagedBytes">Bytes of pages that a stage may hold.</param>
    /// <param name="shuffleBytes">Bytes for the rows of a shuffle.</param>
    /// <param name="pathsOf">The files of a shuffle, by what it is for.</param>
    public BuildSpace(PagedMemory memory, Func<BuildStage, long> pagedBytes, long shuffleBytes, Func<string, ShufflePaths> pathsOf)
    {
        Memory = memory;
        ShuffleBytes = shuffleBytes;
        _pagedBytes = pagedBytes;
        _pathsOf = pathsOf;
    }

    /// <summary>The paged memory.</summary>
    public PagedMemory Memory { get; }

    /// <summary>Bytes for the rows of a shuffle.</summary>
    public long ShuffleBytes { get; }

    /// <summary>Threads that refine; null for as many as compute.</summary>
    public int? RefineThreads { get; init; }

    /// <summary>States which stage runs from now on.</summary>
    public void Enter(BuildStage stage)
    {
        Memory.SetCapacity(_pagedBytes(stage));

        // Arrays of the stage before are garbage now and would count beside those of this one; there are a dozen stages a build.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
    }

    /// <summary>The files of a shuffle.</summary>
    public ShufflePaths ShufflePaths(string purpose) => _pathsOf(purpose);

    /// <summary>Deletes the scratch files that are left.</summary>
    public void Dispose() => Memory.Dispose();
}
