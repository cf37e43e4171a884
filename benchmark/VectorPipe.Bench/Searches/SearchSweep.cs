using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Measuring.Searches;

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
internal sealed class SearchSweep<T>(
    MeasuredIndex index, VectorMatrix queries, Recall? recall, AnswerCheck<T>? check, int k, int queriesInFlight, double? rate,
    double? deviceIops)
    where T : unmanaged
{
    // Bytes of queries, answers and statistics of one measurement: bounds how often queries are repeated in it.
    private const long MostBytes = 1L << 30;

    /// <summary>
    /// Searches for all queries; if that takes less than was asked for, once more for as many repetitions of them as it takes, in one go.
    /// </summary>
    /// <remarks>
    /// Where a pass begins, all queries in flight begin together, and where it ends they thin out: of 10,000 queries with 32 in flight that
    /// is more than the slowest thousandth, so
    /// passes one after another would show their own edges.
    /// </remarks>
    /// <param name="cell">How.</param>
    /// <param name="warmUp">Passes before that take this long do not count.</param>
    /// <param name="measured">How long, about.</param>
    /// <param name="cancellationToken">Ends the measurement.</param>
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
            check.Check(
                options,
                pass with
                {
                    Hits = pass.Hits[(i * queries.Count * k)..((i + 1) * queries.Count * k)],
                    Statistics =
                pass.Statistics[(i * queries.Count)..((i + 1) * queries.Count)]
                },
                cancellationToken);
        }
    }
}
