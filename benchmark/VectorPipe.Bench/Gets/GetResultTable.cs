using Spectre.Console;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Gets;

/// <summary>The table of look-ups, a line for each store and number of threads.</summary>
internal static class GetResultTable
{
    public static Table Create(IEnumerable<GetResultRow> rows) => FigureTable.Create(
        rows, startsWithName: true,
        [
            ("store", row => row.Store),
            ("threads", row => $"{row.Threads}"),
            ("batch", row => $"{row.BatchSize}"),
            ("ops/s", row => $"{row.Run.OperationsPerSecond:F0}"),
            ("reads/op", row => row.ReadsPerOperation is { } reads ? $"{reads:F3}" : "-"),
            .. LatencyCells.Of<GetResultRow>(row => row.Run.Latencies),
            ("queue", row => row.ReadsPerOperation is null ? "-" : $"{row.Run.MeanQueueDepth:F1}"),
            ("calls/read", row => row.CallsPerRead is { } calls ? $"{calls:F3}" : "-"),
            ("cpu µs/op", row => $"{row.Run.CpuSeconds * 1e6 / Math.Max(1, row.Run.Operations):F2}"),
            ("B/op", row => $"{row.Run.AllocatedBytes / Math.Max(1.0, row.Run.Operations):F3}"),
            ("GCs", row => $"{row.Run.Collections}"),
        ]);
}
