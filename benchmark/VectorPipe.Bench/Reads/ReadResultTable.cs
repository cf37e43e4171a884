using Spectre.Console;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Reads;

/// <summary>The table of a device, a line for each depth and number of threads.</summary>
internal static class ReadResultTable
{
    public static Table Create(IEnumerable<ReadResultRow> rows) => FigureTable.Create(
        rows, startsWithName: false,
        [
            ("threads", row => $"{row.Threads}"),
            ("depth", row => $"{row.Depth}"),
            ("IOPS", row => $"{row.Iops:F0}"),
            .. LatencyCells.Of<ReadResultRow>(row => row.Run.Latencies),
            ("queue", row => $"{row.Run.MeanQueueDepth:F1}"),
            ("calls/read", row => $"{row.Run.SystemCalls / Math.Max(1.0, row.Run.Operations):F3}"),
            ("cpu µs/read", row => $"{row.Run.CpuSeconds * 1e6 / Math.Max(1, row.Run.Operations):F2}"),
            ("B/read", row => $"{row.Run.AllocatedBytes / Math.Max(1.0, row.Run.Operations):F3}"),
            ("GCs", row => $"{row.Run.Collections}"),
            ("pipeline ns", row => row.PipelineNsPerRead is { } pipeline ? $"{pipeline:F0}" : "-"),
            ("verify ns", row => row.VerifyNsPerRead is { } verify ? $"{verify:F0}" : "-"),
            ("copy ns", row => row.CopyNsPerRead is { } copy ? $"{copy:F0}" : "-"),
        ]);
}
