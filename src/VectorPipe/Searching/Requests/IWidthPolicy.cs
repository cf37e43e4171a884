using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Requests;

/// <summary>How many reads of a query may be in flight: a function of what the query knows and of how its reads have fared.</summary>
/// <remarks>May keep state from <see cref="Begin"/> on, so not thread-safe; one a query slot.</remarks>
internal interface IWidthPolicy
{
    /// <summary>A query begins.</summary>
    /// <param name="most">Most reads that it may ever have in flight; at least 1.</param>
    void Begin(int most);

    /// <summary>Reads that may be in flight now; at least 1.</summary>
    /// <param name="frontier">What the query knows; not changed.</param>
    int Width(Frontier frontier);
}
