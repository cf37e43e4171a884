using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Requests;

/// <summary>Chooses the pages to read next by what the query knows, and ends the search.</summary>
/// <remarks>Keeps scratch: one a query slot, not thread-safe.</remarks>
internal interface IPagePolicy
{
    /// <summary>Whether the choice depends on exact distances. If not, they are computed while the next reads are in flight.</summary>
    bool NeedsResults { get; }

    /// <summary>A query begins.</summary>
    void Begin()
    {
    }

    /// <summary>Chooses pages of unvisited candidates that are worth a read, the most valuable first, each once.</summary>
    /// <param name="frontier">What the query knows; read only.</param>
    /// <param name="pages">Receives the pages.</param>
    /// <returns>The number of pages; 0 if none is worth a read, unless reads in flight change that.</returns>
    int Choose(Frontier frontier, Span<uint> pages);
}
