using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Latency;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Engines;

/// <summary>The figures of opening all collections, or of a pass of searches.</summary>
/// <param name="Kind">open, or search and the number of the pass.</param>
/// <param name="Threads">Search threads of the engine.</param>
/// <param name="MemoryBytes">Physical memory of the process after it.</param>
/// <param name="ProcessThreads">Threads of the process after it, those of the runtime included.</param>
/// <param name="AddedThreads">Those beyond the ones that the process had before it used a collection.</param>
internal sealed record EngineResultRow(
    string Kind,
    int Threads,
    LatencyHistogram Latencies,
    double Seconds,
    double CpuSeconds,
    long MemoryBytes,
    int ProcessThreads,
    int AddedThreads)
{
    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("kind", Kind),
        new("threads", Threads),
        new("ops", Latencies.Count),
        new("seconds", Seconds),
        new("cpu_seconds", CpuSeconds),
        .. Latencies.ToColumns(),
        new("memory_bytes", MemoryBytes),
        new("process_threads", ProcessThreads),
        new("added_threads", AddedThreads),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<EngineResultRow> rows) => FigureTable.Create(
        rows, startsWithName: true,
        [
            ("operation", row => row.Kind),
            ("threads", row => $"{row.Threads}"),
            ("ops", row => $"{row.Latencies.Count}"),
            ("s", row => $"{row.Seconds:F2}"),
            ("cpu s", row => $"{row.CpuSeconds:F2}"),
            .. LatencyCells.Of<EngineResultRow>(row => row.Latencies),
            ("memory MiB", row => $"{row.MemoryBytes / 1048576.0:F0}"),
            ("process threads", row => $"{row.ProcessThreads}"),
            ("added", row => $"{row.AddedThreads}"),
        ]);
}
