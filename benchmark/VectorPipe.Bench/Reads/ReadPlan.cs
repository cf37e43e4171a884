namespace VectorPipe.Bench.Reads;

/// <summary>How one thread reads.</summary>
/// <param name="Depth">Most reads that it keeps in flight.</param>
/// <param name="SubmitEvery">Reads that may wait before they are submitted within a turn; null for the default.</param>
/// <param name="PollUs">Longest time in microseconds to look for completions before it sleeps.</param>
/// <param name="Validate">Whether every page is checked.</param>
/// <param name="Timed">Whether every read is timed; without, nothing but the count is known, and the run costs what the pipeline
/// costs.</param>
/// <param name="Rate">Reads a second of all threads together; null for as many as complete.</param>
/// <param name="Seed">Seed of the order of the pages.</param>
internal sealed record ReadPlan(int Depth, int? SubmitEvery, int PollUs, bool Validate, bool Timed, double? Rate, ulong Seed);
