using System.Text.Json.Nodes;
using Spectre.Console;

namespace VectorPipe.Bench.Shuffles;

/// <summary>The figures of one batch size.</summary>
internal sealed record ShuffleResultRow
{
    public required int BatchMb { get; init; }

    public required long Rows { get; init; }

    /// <summary>Flush groups: ranges that a partition lies in.</summary>
    public required int FlushGroups { get; init; }

    /// <summary>Adding all rows, and writing the ends of the files.</summary>
    public required double WriteSeconds { get; init; }

    /// <summary>Reading all partitions back in windows of the batch's size.</summary>
    public required double ReadSeconds { get; init; }

    /// <summary>Processor time of both.</summary>
    public required double CpuSeconds { get; init; }

    /// <summary>
    /// Most memory while rows were added, above what the process held before; null where the operating system does not say.
    /// </summary>
    public required long? WriteOverheadBytes { get; init; }

    /// <summary>Names and values of the columns, in order: the same in JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("batch_mb", BatchMb),
        new("rows", Rows),
        new("flush_groups", FlushGroups),
        new("write_seconds", WriteSeconds),
        new("read_seconds", ReadSeconds),
        new("cpu_seconds", CpuSeconds),
        new("overhead_bytes", WriteOverheadBytes),
        new("overhead_ratio", WriteOverheadBytes / (BatchMb * 1048576.0)),
    ];

    /// <summary>A line a row.</summary>
    public static Table CreateTable(IEnumerable<ShuffleResultRow> rows)
    {
        var table = new Table();
        foreach (
            string column in (string[])["batch MiB", "rows", "groups", "write s", "read s", "cpu s", "overhead MiB", "overhead / batch"])
            table.AddColumn(column, c => c.RightAligned());
        foreach (ShuffleResultRow row in rows)
        {
            table.AddRow(
                $"{row.BatchMb}",
                $"{row.Rows}",
                $"{row.FlushGroups}",
                $"{row.WriteSeconds:F2}",
                $"{row.ReadSeconds:F2}",
                $"{row.CpuSeconds:F2}",
                row.WriteOverheadBytes is { } bytes ? $"{bytes / 1048576.0:F1}" : "-",
                row.WriteOverheadBytes is { } over ? $"{over / (row.BatchMb * 1048576.0):F3}" : "-");
        }

        return table;
    }
}
