using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;

namespace VectorPipe.Building.Space;

/// <summary>The memory and the scratch files of a build under a memory budget.</summary>
/// <param name="memory">Pages the tables; owned.</param>
/// <param name="pathsOf">The files of a shuffle, by its purpose.</param>
internal sealed class BuildSpace(PagedMemory memory, Func<string, ShufflePaths> pathsOf) : IDisposable
{
    public PagedMemory Memory => memory;

    /// <summary>Counts the bytes of shuffles.</summary>
    public ShuffleTraffic Shuffles { get; } = new();

    /// <summary>Sets the bytes that tables may have in memory during the next phase.</summary>
    public void Enter(long pagedBytes) => memory.SetCapacity(pagedBytes);

    /// <summary>The files of a shuffle.</summary>
    public ShufflePaths ShufflePaths(string purpose) => pathsOf(purpose);

    /// <summary>Begins a shuffle.</summary>
    public PartitionShuffler CreateShuffler(ShuffleOptions options, ShufflePaths paths) => new(options, paths, memory.Io, Shuffles);

    /// <summary>Opens a shuffle for a thread.</summary>
    public ShuffledPartitions OpenShuffle(ShuffledLayout layout, ShufflePaths paths, bool deletes = false) =>
        new(layout, paths, memory.Device, memory.Io, memory.Logger, deletes, memory.OpenDevice, Shuffles);

    public void Dispose() => memory.Dispose();
}
