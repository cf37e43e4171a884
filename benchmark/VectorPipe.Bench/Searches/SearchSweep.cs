using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Searches;

/// <summary>Measures the cells of a sweep over the same queries. Not thread-safe.</summary>
/// <param name="recall">Null without a truth.</param>
/// <param name="check">Checks every answer; may be null.</param>
/// <param name="rate">Queries per second of all threads together; null for no pace.</param>
/// <param name="deviceIops">Most reads per second of the device; null if unknown.</param>
internal sealed class SearchSweep<T>(
    MeasuredIndex index, VectorMatrix queries, Recall? recall, AnswerCheck<T>? check, int k, int queriesInFlight, double? rate,
    double? deviceIops)
    where T : unmanaged
{
    // Most bytes of queries, answers and statistics in one measurement.
    private const long MostBytes = 1L << 30;

    /// <summary>Searches for all queries; if that was too short, again for repetitions of the queries in a single pass.</summary>
    /// <remarks>
    /// At the edges of a pass queries begin together and thin out. With 32 in flight that affects more than the slowest thousandth of
    /// 10,000 queries, so several passes would distort it.
    /// </remarks>
    /// <param name="warmUp">Time of earlier passes that do not count.</param>
    /// <param name="measured">Approximate time of the measurement.</param>
    public SearchBenchRow Measure(SearchCell cell, TimeSpan warmUp, TimeSpan measured, CancellationToken cancellationToken)
    {
        var run = new SearchRun<T>(index.OpenSession, queries, k, cell.Threads, index, rate);
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < warmUp)
            run.Measure(cell.Options, cancellationToken);

        SearchMeasurement pass = run.Measure(cell.Options, cancellationToken);
        double? found = recall?.Of(pass.Hits, pass.Statistics);
        check?.Check(cell.Options, pass, cancellationToken);
        double depth = index.MeanQueueDepth;
        int repetitions = Repetitions(measured, pass.ElapsedSeconds);
        if (repetitions > 1)
        {
            pass = new SearchRun<T>(index.OpenSession, queries.Repeat(repetitions), k, cell.Threads, index, rate)
                .Measure(cell.Options, cancellationToken);
            depth = index.MeanQueueDepth;
            CheckAll(cell.Options, pass, repetitions, cancellationToken);
        }

        return SearchBenchRow.Create(pass, depth, index.Info.Kind, cell.Setting, found, queriesInFlight, index.DeviceName, deviceIops);
    }

    private int Repetitions(TimeSpan measured, double seconds)
    {
        long bytes = queries.Count * (queries.RowBytes + (long)k * Unsafe.SizeOf<SearchHit>() + Unsafe.SizeOf<SearchStatistics>());
        long most = Math.Min(MostBytes, Array.MaxLength / 4) / bytes;
        return (int)Math.Clamp(Math.Ceiling(measured.TotalSeconds / seconds), 1, Math.Max(1, most));
    }

    private void CheckAll(SearchOptions options, SearchMeasurement pass, int repetitions, CancellationToken cancellationToken)
    {
        for (int i = 0; check is not null && i < repetitions; i++)
        {
            SearchMeasurement part = pass with
            {
                Hits = pass.Hits[(i * queries.Count * k)..((i + 1) * queries.Count * k)],
                Statistics = pass.Statistics[(i * queries.Count)..((i + 1) * queries.Count)],
            };
            check.Check(options, part, cancellationToken);
        }
    }
}
