using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Requests;

/// <summary>Bounds the reads in flight of a query by what the query knows.</summary>
/// <remarks>Keeps state from <see cref="Begin"/> on: one a query slot, not thread-safe.</remarks>
internal interface IWidthPolicy
{
    /// <summary>A query begins.</summary>
    /// <param name="most">Most reads in flight at any time; at least 1.</param>
    void Begin(int most);

    /// <summary>Reads that may be in flight now; at least 1.</summary>
    int Width(Frontier frontier);
}
