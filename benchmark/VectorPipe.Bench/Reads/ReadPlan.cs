namespace VectorPipe.Bench.Reads;

/// <summary>The reads of a run.</summary>
/// <param name="Depth">Most reads in flight per thread.</param>
/// <param name="SubmitEvery">Reads that wait before a turn submits them; null for the default.</param>
/// <param name="PollUs">Microseconds to poll for completions before a thread sleeps; null to adapt.</param>
/// <param name="Validate">Whether to verify every page.</param>
/// <param name="Timed">Whether to time every read. An untimed run only counts, and costs as much as the pipeline.</param>
/// <param name="Rate">Reads per second of all threads together; null for no pace.</param>
/// <param name="Seed">Seed of the order of the pages.</param>
internal sealed record ReadPlan(int Depth, int? SubmitEvery, int? PollUs, bool Validate, bool Timed, double? Rate, ulong Seed);
