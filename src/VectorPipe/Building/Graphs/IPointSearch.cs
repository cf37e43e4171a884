namespace VectorPipe.Building.Graphs;

/// <summary>Searches a graph from its entry for one of its own points.</summary>
/// <remarks>Not thread-safe; one a thread.</remarks>
internal interface IPointSearch : IDisposable
{
    /// <summary>Distances computed so far.</summary>
    long Computed { get; }

    /// <summary>Keys of the points nearest to the last target, nearest first; at least one.</summary>
    ReadOnlySpan<ulong> Nearest { get; }

    /// <summary>Searches until every candidate is expanded.</summary>
    void Run(int target);
}
