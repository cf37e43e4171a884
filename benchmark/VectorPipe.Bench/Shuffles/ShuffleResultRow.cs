using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Shuffles;

/// <summary>The figures of a batch size.</summary>
internal sealed record ShuffleResultRow
{
    public required int BatchMb { get; init; }

    public required long Rows { get; init; }

    /// <summary>Flush groups: the rows of a partition are in as many ranges.</summary>
    public required int FlushGroups { get; init; }

    /// <summary>Time to add all rows and complete the files.</summary>
    public required double WriteSeconds { get; init; }

    /// <summary>Time to read all partitions in windows of the batch size.</summary>
    public required double ReadSeconds { get; init; }

    public required double CpuSeconds { get; init; }

    /// <summary>Peak memory during the write less the memory before; null if the operating system cannot tell.</summary>
    public required long? WriteOverheadBytes { get; init; }

    /// <summary>The columns of JSON and CSV.</summary>
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

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<ShuffleResultRow> rows) => FigureTable.Create(
        rows, startsWithName: false,
        ("batch MiB", row => $"{row.BatchMb}"),
        ("rows", row => $"{row.Rows}"),
        ("groups", row => $"{row.FlushGroups}"),
        ("write s", row => $"{row.WriteSeconds:F2}"),
        ("read s", row => $"{row.ReadSeconds:F2}"),
        ("cpu s", row => $"{row.CpuSeconds:F2}"),
        ("overhead MiB", row => row.WriteOverheadBytes is { } bytes ? $"{bytes / 1048576.0:F1}" : "-"),
        ("overhead / batch", row => row.WriteOverheadBytes is { } bytes ? $"{bytes / (row.BatchMb * 1048576.0):F3}" : "-"));
}
