namespace VectorPipe.Devices;

/// <summary>Counts of one device queue since it was opened. Reads are counted where they happen, not derived.</summary>
/// <param name="Reads">Reads accepted.</param>
/// <param name="Completions">Reads handed back.</param>
/// <param name="BytesRead">Bytes that finished reads delivered.</param>
/// <param name="SystemCalls">System calls to submit and to wait.</param>
/// <param name="HighWater">Most reads that were in flight at once.</param>
/// <param name="StrayCompletions">Completions that belonged to no read in flight; dropped, and 0 on a sound kernel.</param>
public readonly record struct DeviceCounters(
    long Reads, long Completions, long BytesRead, long SystemCalls, int HighWater, long StrayCompletions = 0);
