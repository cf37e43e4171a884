using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Searches;

/// <summary>Charts of a sweep: throughput and latencies against the number of threads, and throughput and cost against recall.</summary>
internal static class SearchCharts
{
    /// <summary>Charts against threads if they or nothing vary, and against recall if it is known and settings vary.</summary>
    public static Chart Create(SearchBenchArguments arguments, MeasuredIndex index, IReadOnlyList<SearchBenchRow> rows) =>
        Create(
            arguments, $"{index.Info.Count} vectors of dimension {index.Info.Dimension}, {index.DeviceName}",
            [.. rows.Select(row => row.Search)]);

    public static Chart Create(SearchBenchArguments arguments, string subject, IReadOnlyList<SearchResultRow> rows)
    {
        string parameters =
            $"{subject}, k {arguments.K}, {rows[0].Setting.Policy} {string.Join(' ', rows.Select(row => row.Setting.Knob).Distinct())}, "
            + $"{(rows[0].Setting.BeamWidth is { } width ? $"W {width}, " : "")}{arguments.QueriesInFlight} queries in flight per thread, "
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
        ChartPanel Panel(string title, string label, Func<SearchResultRow, double> value) => ChartPanel.Create(
            title, label, threads, rows, row => $"{row.Mode}, {row.Setting.Knob}", row => row.Threads, value);
        return new ChartSection(
        [
            Panel("Throughput", "queries per second", row => row.Qps),
            Panel("Mean latency", "microseconds", row => row.MeanUs),
            Panel("95th percentile of latency", "microseconds", row => row.P95Us),
            Panel("99.9th percentile of latency", "microseconds", row => row.P999Us),
        ]);
    }

    private static ChartSection AgainstRecall(int k, IReadOnlyList<SearchResultRow> rows)
    {
        Axis recall = Axis.Linear($"recall@{k}", rows.Select(row => row.Recall!.Value), fromZero: false);
        ChartPanel Panel(string title, string label, Func<SearchResultRow, double> value) => ChartPanel.Create(
            title, label, recall, rows, row => row.Threads == 1 ? $"{row.Mode}, 1 thread" : $"{row.Mode}, {row.Threads} threads",
            row => row.Recall!.Value, value);
        return new ChartSection(
        [
            Panel("Throughput against recall", "queries per second", row => row.Qps),
            Panel("Reads against recall", "reads per query", row => row.ReadsPerQuery),
            Panel("Bytes read against recall", "KiB per query", row => row.BytesPerQuery / 1024),
            Panel("Mean latency against recall", "microseconds", row => row.MeanUs),
            Panel("Processor time against recall", "microseconds per query", row => row.CpuUsPerQuery),
        ]);
    }
}
