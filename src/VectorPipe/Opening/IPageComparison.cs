using VectorPipe.Storage.Nodes;

namespace VectorPipe.Opening;

/// <summary>Compares the vectors of node pages with those of another place.</summary>
/// <remarks>Bound to the thread that first compares; one a thread.</remarks>
internal interface IPageComparison : IDisposable
{
    /// <summary>Tells which vector of a page differs; null if none does.</summary>
    /// <param name="page">A sound page.</param>
    /// <param name="number">Its number, from 0.</param>
    /// <exception cref="IndexCorruptException">A page that it is compared with is damaged.</exception>
    string? FindDefect(NodePage page, long number);
}
