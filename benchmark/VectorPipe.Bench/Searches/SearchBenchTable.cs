using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Searches;

/// <summary>The table of a sweep, a line for each mode, number of threads and setting.</summary>
internal static class SearchBenchTable
{
    public static Table Create(int k, IEnumerable<SearchBenchRow> rows) => FigureTable.Create(
        rows, startsWithName: false,
        ("mode", row => row.Search.Mode),
        ("threads", row => $"{row.Search.Threads}"),
        ("policy", row => row.Search.Setting.Policy ?? "-"),
        ("knob", row => row.Search.Setting.Knob),
        ($"recall@{k}", row => row.Search.Recall is { } recall ? $"{recall:F4}" : "-"),
        ("QPS", row => $"{row.Search.Qps:F0}"),
        ("mean µs", row => $"{row.Search.MeanUs:F0}"),
        ("p50 µs", row => $"{row.Search.P50Us:F0}"),
        ("p95 µs", row => $"{row.Search.P95Us:F0}"),
        ("p99 µs", row => $"{row.Search.P99Us:F0}"),
        ("p99.9 µs", row => $"{row.Search.P999Us:F0}"),
        ("max µs", row => $"{row.Search.MaxUs:F0}"),
        ("reads", row => $"{row.Search.ReadsPerQuery:F1}"),
        ("cached", row => $"{row.Search.CacheHitRate:P1}"),
        ("rounds", row => $"{row.Search.RoundsPerQuery:F1}"),
        ("code dist.", row => $"{row.Search.CodeDistancesPerQuery:F0}"),
        ("exact", row => $"{row.Search.ExactDistancesPerQuery:F0}"),
        ("KiB read", row => $"{row.Search.BytesPerQuery / 1024:F1}"),
        ("queue", row => $"{row.MeanQueueDepth:F1}"),
        ("calls/read", row => $"{row.SystemCallsPerRead:F3}"),
        ("cpu µs", row => $"{row.Search.CpuUsPerQuery:F0}"),
        ("compute µs", row => $"{row.Search.ComputeUsPerQuery:F0}"),
        ("reads/s", row => $"{row.ReadsPerSecond:F0}"),
        ("of device", row => row.DeviceShare is { } share ? $"{share:P0}" : "-"),
        ("B/query", row => $"{row.Search.AllocatedBytesPerQuery:F1}"),
        ("GCs", row => $"{row.Search.Collections}"));
}
