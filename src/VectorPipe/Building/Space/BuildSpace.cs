using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;

namespace VectorPipe.Building.Space;

/// <summary>
/// The room of a build under a memory budget: paged memory, of which each phase gets what it does not need for itself, and scratch files.
/// </summary>
/// <param name="memory">The paged memory; taken over.</param>
/// <param name="pathsOf">The files of a shuffle, by what it is for.</param>
internal sealed class BuildSpace(PagedMemory memory, Func<string, ShufflePaths> pathsOf) : IDisposable
{
    /// <summary>The paged memory.</summary>
    public PagedMemory Memory => memory;

    /// <summary>Gives paged memory the room that a phase leaves it.</summary>
    /// <param name="pagedBytes">Bytes of pages that may be in memory from now on.</param>
    public void Enter(long pagedBytes) => memory.SetCapacity(pagedBytes);

    /// <summary>The files of a shuffle.</summary>
    public ShufflePaths ShufflePaths(string purpose) => pathsOf(purpose);

    /// <summary>Deletes the scratch files that are left.</summary>
    public void Dispose() => memory.Dispose();
}
