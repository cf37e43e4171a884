namespace VectorPipe.Building.Partitioned;

/// <summary>Adds up distances that workers have computed. Thread-safe.</summary>
internal sealed class Effort
{
    private long _distances;

    /// <summary>Distances so far.</summary>
    public long Distances => Interlocked.Read(ref _distances);

    /// <summary>Adds distances; called once in a while, not once a distance.</summary>
    public void Add(long distances) => Interlocked.Add(ref _distances, distances);
}
