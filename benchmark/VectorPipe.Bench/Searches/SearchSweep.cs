using System.Diagnostics;
using VectorPipe.Measuring.Searches;
using VectorPipe.Searching;

namespace VectorPipe.Bench.Searches;

/// <summary>Measures cells of a sweep over the same queries. Not thread-safe.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
/// <param name="index">What is searched.</param>
/// <param name="queries">Queries of the index's type and dimension.</param>
/// <param name="recall">Measures recall; null without a truth.</param>
/// <param name="check">Checks every answer; null for none.</param>
/// <param name="k">Results of a query.</param>
/// <param name="queriesInFlight">Queries of a thread in flight.</param>
/// <param name="rate">Queries a second of all threads together; null for as many as are answered.</param>
/// <param name="deviceIops">Reads a second that the device can serve; null if that is not known.</param>
internal sealed class SearchSweep<T>(MeasuredIndex index, VectorMatrix queries, Recall? recall, AnswerCheck<T>? check, int k, int queriesInFlight, double? rate, double? deviceIops)
    where T : unmanaged
{
    /// <summary>Searches for all queries, again and again until the time has passed, at least once.</summary>
    /// <param name="cell">How.</param>
    /// <param name="warmUp">Passes before that take this long do not count.</param>
    /// <param name="measured">How long.</param>
    /// <param name="cancellationToken">Ends the measurement.</param>
    public SearchBenchRow Measure(SearchCell cell, TimeSpan warmUp, TimeSpan measured, CancellationToken cancellationToken)
    {
        var run = new SearchRun<T>(index.OpenSession, queries, k, cell.Threads, index, rate);
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < warmUp)
            run.Measure(cell.Options, cancellationToken);

        List<(SearchMeasurement Pass, double Depth)> passes = [];
        double? found = null;
        TimeSpan spent = TimeSpan.Zero;
        do
        {
            start = Stopwatch.GetTimestamp();
            SearchMeasurement pass = run.Measure(cell.Options, cancellationToken);
            spent += Stopwatch.GetElapsedTime(start);
            double depth = index.MeanQueueDepth;
            check?.Check(cell.Options, pass, cancellationToken);
            found ??= recall?.Of(pass.Hits, pass.Statistics);

            // The next pass writes over the statistics of this one.
            passes.Add((pass with { Statistics = (SearchStatistics[])pass.Statistics.Clone() }, depth));
        }
        while (spent < measured);

        double seconds = passes.Sum(pass => pass.Pass.ElapsedSeconds);
        double meanDepth = passes.Sum(pass => pass.Depth * pass.Pass.ElapsedSeconds) / seconds;
        return SearchBenchRow.Create(Merge(passes, seconds), meanDepth, index.Info.Kind, cell.Options, found, queriesInFlight, cell.Mode, index.DeviceName, deviceIops);
    }

    private static SearchMeasurement Merge(List<(SearchMeasurement Pass, double Depth)> passes, double seconds) => passes[0].Pass with
    {
        Statistics = [.. passes.SelectMany(pass => pass.Pass.Statistics)],
        ElapsedSeconds = seconds,
        CpuSeconds = passes.Sum(pass => pass.Pass.CpuSeconds),
        AllocatedBytes = passes.Sum(pass => pass.Pass.AllocatedBytes),
        DeviceReads = passes.Sum(pass => pass.Pass.DeviceReads),
        SystemCalls = passes.Sum(pass => pass.Pass.SystemCalls),
    };
}
