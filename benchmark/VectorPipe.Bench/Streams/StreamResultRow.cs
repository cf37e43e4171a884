using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Streams;

/// <summary>The figures of one way to read.</summary>
internal sealed record StreamResultRow
{
    /// <summary>
    /// queue: in the order of landing; kept, forgotten: a stream whose distance is kept across pauses, or not; scan: front to back.
    /// </summary>
    public required string Kind { get; init; }

    /// <summary>Most reads ahead.</summary>
    public required int LookAhead { get; init; }

    public required long Pages { get; init; }

    public required double Seconds { get; init; }

    /// <summary>Processor time of the process.</summary>
    public required double CpuSeconds { get; init; }

    public required long Reads { get; init; }

    /// <summary>Reads that the consumer waited for; null where that is not counted.</summary>
    public required long? Waits { get; init; }

    public required long SystemCalls { get; init; }

    /// <summary>Bytes allocated on the run thread.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>Pages of a burst; 0 for a scan.</summary>
    public required int Burst { get; init; }

    public double PagesPerSecond => Pages / Seconds;

    public double MegabytesPerSecond => PagesPerSecond * PageCodec.PageUnit / 1e6;

    /// <summary>Microseconds of a burst; null for a scan.</summary>
    public double? BurstUs => Burst == 0 ? null : Seconds * 1e6 * Burst / Pages;

    /// <summary>Names and values of the columns, in order: the same in JSON and CSV.</summary>
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

    /// <summary>A line a row; walks are compared with the one without look-ahead.</summary>
    public static Table CreateTable(IReadOnlyList<StreamResultRow> rows)
    {
        double? without = rows.FirstOrDefault(row => row.Burst > 0 && row.LookAhead == 0)?.BurstUs;
        var table = new Table();
        foreach (
            string column in (string[])["kind", "look-ahead", "burst us", "speed-up", "MB/s", "cpu share", "reads", "waits", "calls/read",
            "allocated"])
            table.AddColumn(column, c => c.RightAligned());
        foreach (StreamResultRow row in rows)
        {
            table.AddRow(
                row.Kind,
                $"{row.LookAhead}",
                row.BurstUs is { } us ? $"{us:F0}" : "-",
                row.BurstUs is { } burst && without is { } slow ? $"{slow / burst:F2}" : "-",
                $"{row.MegabytesPerSecond:F0}",
                $"{row.CpuSeconds / row.Seconds:F2}",
                $"{row.Reads}",
                row.Waits is { } waits ? $"{waits}" : "-",
                $"{(double)row.SystemCalls / row.Reads:F3}",
                $"{row.AllocatedBytes}");
        }

        return table;
    }
}
