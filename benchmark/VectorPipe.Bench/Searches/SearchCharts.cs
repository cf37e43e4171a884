using VectorPipe.Bench.Charts;
using VectorPipe.Bench.Commands;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Searches;

/// <summary>Charts of a sweep: throughput and latencies against the number of threads, and throughput and cost against recall.</summary>
internal static class SearchCharts
{
    /// <summary>
    /// The chart of some rows: against threads if they vary or nothing does, against recall if settings vary and recall is known.
    /// </summary>
    public static Chart Create(SearchBenchArguments arguments, MeasuredIndex index, IReadOnlyList<SearchBenchRow> rows) =>
        Create(
            arguments, $"{index.Info.Count} vectors of dimension {index.Info.Dimension}, {index.DeviceName}",
            [.. rows.Select(row => row.Search)]);

    /// <summary>The chart of some rows over what is described.</summary>
    public static Chart Create(SearchBenchArguments arguments, string what, IReadOnlyList<SearchResultRow> rows)
    {
        string parameters =
            $"{what}, k {arguments.K}, {rows[0].Setting.Policy} {string.Join(' ', rows.Select(row => row.Setting.Knob).Distinct())}, "
            + $"{(rows[0].Setting.BeamWidth is { } width ? $"W {width}, " : "")}{arguments.QueriesInFlight} queries in flight a thread, "
            + $"threads {string.Join(' ', arguments.ThreadCounts)}, iterations {arguments.Iterations}; "
            + $"{HostFacts.Processor}, {Environment.ProcessorCount} processors, commit {HostFacts.WorkingCommit}";
        bool hasRecall = rows.Any(row => row.Recall is not null) && rows.Select(row => row.Setting.Knob).Distinct().Count() > 1;
        bool hasThreads = !hasRecall || arguments.ThreadCounts.Distinct().Count() > 1;
        List<ChartSection> sections = [];
        if (hasThreads)
            sections.Add(AgainstThreads(rows));
        if (hasRecall)
            sections.Add(AgainstRecall(arguments.K, rows));
        return new Chart("Search", parameters, sections);
    }

    private static ChartSection AgainstThreads(IReadOnlyList<SearchResultRow> rows)
    {
        Axis threads = Axis.Linear("threads", rows.Select(row => (double)row.Threads), fromZero: true, wholeNumbers: true);
        ChartPanel Panel(string title, string label, Func<SearchResultRow, double> value) => new(
            title,
            threads,
            Axis.Linear(label, rows.Select(value), fromZero: true),
            [.. rows.GroupBy(row => (row.Mode, Knob: row.Setting.Knob)).Select(group => new ChartSeries(
                $"{group.Key.Mode}, {group.Key.Knob}",
                [.. group.OrderBy(row => row.Threads).Select(row => new ChartPoint(row.Threads, value(row)))]))]);
        return new ChartSection(
        [
            Panel("Throughput", "queries a second", row => row.Qps),
            Panel("Mean latency", "microseconds", row => row.MeanUs),
            Panel("95th percentile of latency", "microseconds", row => row.P95Us),
            Panel("99.9th percentile of latency", "microseconds", row => row.P999Us),
        ]);
    }

    private static ChartSection AgainstRecall(int k, IReadOnlyList<SearchResultRow> rows)
    {
        Axis recall = Axis.Linear($"recall@{k}", rows.Select(row => row.Recall!.Value), fromZero: false);
        ChartPanel Panel(string title, string label, Func<SearchResultRow, double> value) => new(
            title,
            recall,
            Axis.Linear(label, rows.Select(value), fromZero: true),
            [.. rows.GroupBy(row => (row.Mode, row.Threads)).Select(group => new ChartSeries(
                group.Key.Threads == 1 ? $"{group.Key.Mode}, 1 thread" : $"{group.Key.Mode}, {group.Key.Threads} threads",
                [.. group.OrderBy(row => row.Recall).Select(row => new ChartPoint(row.Recall!.Value, value(row)))]))]);
        return new ChartSection(
        [
            Panel("Throughput against recall", "queries a second", row => row.Qps),
            Panel("Reads against recall", "reads a query", row => row.ReadsPerQuery),
            Panel("Bytes read against recall", "KiB a query", row => row.BytesPerQuery / 1024),
            Panel("Mean latency against recall", "microseconds", row => row.MeanUs),
            Panel("Processor time against recall", "microseconds a query", row => row.CpuUsPerQuery),
        ]);
    }
}
