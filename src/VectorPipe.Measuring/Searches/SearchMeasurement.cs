namespace VectorPipe.Measuring.Searches;

/// <summary>The results and costs of one pass over all queries.</summary>
/// <param name="Hits">Queries x k results, row by row.</param>
/// <param name="ElapsedSeconds">From the common start to the end of the last thread.</param>
/// <param name="CpuSeconds">Processor time of all threads of the process.</param>
/// <param name="AllocatedBytes">Managed memory that all threads allocated.</param>
/// <param name="Device">Counts of the device queues of all threads; null without an observer.</param>
internal sealed record SearchMeasurement(
    SearchHit[] Hits, SearchStatistics[] Statistics, int Threads, double ElapsedSeconds, double CpuSeconds, long AllocatedBytes,
    int Collections, SessionCounts? Device);
