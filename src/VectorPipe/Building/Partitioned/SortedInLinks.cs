using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;

namespace VectorPipe.Building.Partitioned;

/// <summary>The links of a paged table in scratch files, in the order of the ranges of their targets.</summary>
/// <remarks>Reading is thread-safe, each thread by a source of its own. <see cref="Dispose"/> deletes the files.</remarks>
/// <param name="layout">The shuffle.</param>
/// <param name="paths">Its files.</param>
/// <param name="space">Reads them.</param>
internal sealed class SortedInLinks(ShuffledLayout layout, ShufflePaths paths, BuildSpace space) : IDisposable
{
    /// <summary>Opens the links for a thread.</summary>
    public IInLinkSource Open() => new ShuffledInLinks(layout, paths, space);

    /// <summary>Deletes the files.</summary>
    public void Dispose() => paths.Delete(space.Memory.Io);
}
