using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Streams;

/// <summary>The figures of a way to read.</summary>
internal sealed record StreamResultRow
{
    /// <summary>queue: in order of completion; kept, forgotten: a stream that keeps its distance or not; scan: from start to end.</summary>
    public required string Kind { get; init; }

    /// <summary>Most reads ahead.</summary>
    public required int LookAhead { get; init; }

    public required long Pages { get; init; }

    public required double Seconds { get; init; }

    /// <summary>Processor time of the process.</summary>
    public required double CpuSeconds { get; init; }

    public required long Reads { get; init; }

    /// <summary>Reads that the consumer waited for; null if not counted.</summary>
    public required long? Waits { get; init; }

    public required long SystemCalls { get; init; }

    /// <summary>Bytes that the run thread allocated.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>Pages per burst; 0 for a scan.</summary>
    public required int Burst { get; init; }

    public double PagesPerSecond => Pages / Seconds;

    public double MegabytesPerSecond => PagesPerSecond * PageCodec.PageUnit / 1e6;

    /// <summary>Microseconds per burst; null for a scan.</summary>
    public double? BurstUs => Burst == 0 ? null : Seconds * 1e6 * Burst / Pages;

    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("kind", Kind),
        new("look_ahead", LookAhead),
        new("pages", Pages),
        new("seconds", Seconds),
        new("burst_us", BurstUs),
        new("mb_per_second", MegabytesPerSecond),
        new("cpu_seconds", CpuSeconds),
        new("reads", Reads),
        new("waits", Waits),
        new("system_calls", SystemCalls),
        new("allocated_bytes", AllocatedBytes),
    ];

    /// <summary>The table of rows. The speed-up is relative to the stream without look-ahead.</summary>
    public static Table CreateTable(IReadOnlyList<StreamResultRow> rows)
    {
        double? without = rows.FirstOrDefault(row => row.Burst > 0 && row.LookAhead == 0)?.BurstUs;
        return FigureTable.Create(
            rows, startsWithName: false,
            ("kind", row => row.Kind),
            ("look-ahead", row => $"{row.LookAhead}"),
            ("burst us", row => row.BurstUs is { } us ? $"{us:F0}" : "-"),
            ("speed-up", row => without / row.BurstUs is { } factor ? $"{factor:F2}" : "-"),
            ("MB/s", row => $"{row.MegabytesPerSecond:F0}"),
            ("cpu share", row => $"{row.CpuSeconds / row.Seconds:F2}"),
            ("reads", row => $"{row.Reads}"),
            ("waits", row => row.Waits is { } waits ? $"{waits}" : "-"),
            ("calls/read", row => $"{(double)row.SystemCalls / row.Reads:F3}"),
            ("allocated", row => $"{row.AllocatedBytes}"));
    }
}
