namespace VectorPipe.Measuring.Searches;

/// <summary>The queries of one thread, and the memory for their answers.</summary>
/// <param name="Queries">Count x dimension components.</param>
/// <param name="Hits">Receives count x k results.</param>
internal sealed record SearchShare<T>(
    ReadOnlyMemory<T> Queries, int Dimension, int K, Memory<SearchHit> Hits, Memory<SearchStatistics> Statistics)
    where T : unmanaged
{
    public int Count => Statistics.Length;
}
