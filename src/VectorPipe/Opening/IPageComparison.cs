using VectorPipe.Storage.Nodes;

namespace VectorPipe.Opening;

/// <summary>Compares the vectors of node pages with their other copies.</summary>
/// <remarks>Bound to the thread that first compares; one a thread.</remarks>
internal interface IPageComparison : IDisposable
{
    /// <summary>Says which vector of a sound page, numbered from 0, differs; null if none does.</summary>
    /// <exception cref="IndexCorruptException">A page of the other copies is damaged.</exception>
    string? FindDefect(NodePage page, long number);
}
