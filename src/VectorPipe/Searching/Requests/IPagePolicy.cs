using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Requests;

/// <summary>Which pages to read next, and whether any is worth it: a function of what the query knows.</summary>
/// <remarks>May keep scratch, so not thread-safe; one a query slot.</remarks>
internal interface IPagePolicy
{
    /// <summary>Whether exact distances bear on the choice. If not, they are computed while the next reads are in flight.</summary>
    bool NeedsResults { get; }

    /// <summary>A query begins.</summary>
    void Begin();

    /// <summary>Names pages of unvisited candidates that are worth a read, the most valuable first, each once.</summary>
    /// <param name="frontier">What the query knows; not changed.</param>
    /// <param name="pages">Receives them.</param>
    /// <returns>How many; 0 if nothing is worth a read, unless reads in flight change that.</returns>
    int Choose(Frontier frontier, Span<uint> pages);
}
