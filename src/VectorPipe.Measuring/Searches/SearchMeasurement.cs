namespace VectorPipe.Measuring.Searches;

/// <summary>What one pass over all queries gave and cost.</summary>
/// <param name="Hits">Results: queries x k, row by row.</param>
/// <param name="Statistics">What each query cost.</param>
/// <param name="Threads">Threads that searched.</param>
/// <param name="ElapsedSeconds">From the common start to the end of the last thread.</param>
/// <param name="CpuSeconds">Processor time of the process meanwhile, all its threads.</param>
/// <param name="AllocatedBytes">Managed memory allocated meanwhile, by all threads.</param>
/// <param name="Collections">Garbage collections of any generation meanwhile.</param>
/// <param name="Device">Counts of the device queues of all threads; null if nobody counts there.</param>
internal sealed record SearchMeasurement(
    SearchHit[] Hits, SearchStatistics[] Statistics, int Threads, double ElapsedSeconds, double CpuSeconds, long AllocatedBytes,
    int Collections, SessionCounts? Device);
