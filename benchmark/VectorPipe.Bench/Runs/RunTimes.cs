namespace VectorPipe.Bench.Runs;

/// <summary>How long a run takes.</summary>
/// <param name="WarmUp">Before anything counts.</param>
/// <param name="Measured">What counts.</param>
/// <param name="ReportInterval">Between two reports of progress; zero for none.</param>
internal sealed record RunTimes(TimeSpan WarmUp, TimeSpan Measured, TimeSpan ReportInterval);
