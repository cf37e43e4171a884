namespace VectorPipe.Measuring.Searches;

/// <summary>The queries of one thread, and where their answers go.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
/// <param name="Queries">Count x dimension components.</param>
/// <param name="Dimension">Components of a query.</param>
/// <param name="K">Results of a query.</param>
/// <param name="Hits">Receives count x k results.</param>
/// <param name="Statistics">Receives what each query cost.</param>
internal sealed record SearchShare<T>(
    ReadOnlyMemory<T> Queries, int Dimension, int K, Memory<SearchHit> Hits, Memory<SearchStatistics> Statistics)
    where T : unmanaged
{
    /// <summary>Queries of the share.</summary>
    public int Count => Statistics.Length;
}
