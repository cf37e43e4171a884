namespace VectorPipe.Building.Partitioned;

/// <summary>Counts the distances that workers compute. Thread-safe.</summary>
internal sealed class Effort
{
    private long _distances;

    public long Distances => Interlocked.Read(ref _distances);

    /// <summary>Adds distances; called rarely, not for every distance.</summary>
    public void Add(long distances) => Interlocked.Add(ref _distances, distances);
}
