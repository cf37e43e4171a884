using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Peers;

/// <summary>Queries per second of each library against recall.</summary>
internal static class PeerCharts
{
    public static Chart Create(PeersBenchArguments arguments, IndexInfo info, IReadOnlyList<PeerResultRow> rows)
    {
        string parameters =
            $"{info.Count} vectors of dimension {info.Dimension} in memory, k {arguments.K}, {arguments.ThreadCounts[0]} threads, "
            + $"hnswlib M {arguments.Links}, efConstruction {arguments.EfConstruction}, iterations {arguments.Iterations}; "
            + $"{HostFacts.Processor}, {Environment.ProcessorCount} processors, commit {HostFacts.WorkingCommit}";
        Axis recall = Axis.Linear($"recall@{arguments.K}", rows.Select(row => row.Recall), fromZero: false);
        ChartPanel panel = ChartPanel.Create(
            "Throughput against recall", "queries per second", recall, rows, row => row.Library, row => row.Recall, row => row.MedianQps);
        return new Chart("Search in memory", parameters, [new ChartSection([panel])]);
    }
}
