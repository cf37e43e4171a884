namespace VectorPipe.Bench.Runs;

/// <summary>The times of a run.</summary>
/// <param name="ReportInterval">Time between two reports of progress; zero for none.</param>
internal sealed record RunTimes(TimeSpan WarmUp, TimeSpan Measured, TimeSpan ReportInterval);
