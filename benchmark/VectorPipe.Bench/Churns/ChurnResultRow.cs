using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Churns;

/// <summary>The figures after a share of the records was replaced or added. Rates are null before anything was.</summary>
internal sealed record ChurnResultRow
{
    /// <summary>Records replaced or added so far, over those at the start.</summary>
    public required double Share { get; init; }

    public required long Records { get; init; }

    /// <summary>Reads of a search.</summary>
    public required double Reads { get; init; }

    /// <summary>Reads of a search in an index that was built of the same records anew.</summary>
    public required double ReadsRebuilt { get; init; }

    public required double Recall { get; init; }

    public required double RecallRebuilt { get; init; }

    /// <summary>Recall over the neighbours that were inserted since the start; null if there are none.</summary>
    public required double? RecallNew { get; init; }

    /// <summary>Recall over the others; null if there are none.</summary>
    public required double? RecallOld { get; init; }

    /// <summary>Recall at the threshold <see cref="ThresholdSweep.Compared"/>; null for a small collection.</summary>
    public required double? RecallCompared { get; init; }

    public required double? RecallComparedRebuilt { get; init; }

    /// <summary>Reads that a recall takes, in the collection and in a new index; null if no threshold reaches it.</summary>
    public required IReadOnlyList<(double Recall, double? Reads, double? ReadsRebuilt)> ReadsAt { get; init; }

    public double? InsertsPerSecond { get; init; }

    public double? DeletesPerSecond { get; init; }

    /// <summary>Bytes written for each byte of key and vector inserted since the last row; null if unknown.</summary>
    public double? WrittenBytesPerByte { get; init; }

    /// <summary>Bytes of the collection's files.</summary>
    public required long DiskBytes { get; init; }

    /// <summary>Bytes of the files of an index that was built of the same records anew.</summary>
    public required long DiskBytesRebuilt { get; init; }

    /// <summary>The mean of the bytes of the collection's files since the last row, looked at twice a second at most.</summary>
    public long? MeanDiskBytes { get; init; }

    /// <summary>The most bytes of the collection's files since the last row, those of a next generation included.</summary>
    public long? MostDiskBytes { get; init; }

    /// <summary>Bytes of memory of the index and of the waiting writes, over the records.</summary>
    public required double MemoryBytesPerVector { get; init; }

    public required long WaitingWrites { get; init; }

    public required long Generation { get; init; }

    /// <summary>The columns of JSON and CSV.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("share", Share),
        new("records", Records),
        new("reads", Reads),
        new("reads_rebuilt", ReadsRebuilt),
        new("recall", Recall),
        new("recall_rebuilt", RecallRebuilt),
        new("recall_new", RecallNew),
        new("recall_old", RecallOld),
        new("recall_same_threshold", RecallCompared),
        new("recall_same_threshold_rebuilt", RecallComparedRebuilt),
        .. ReadsAt.SelectMany(at => new KeyValuePair<string, JsonNode?>[]
        {
            new($"reads_at_{at.Recall:0.####}", at.Reads),
            new($"reads_at_{at.Recall:0.####}_rebuilt", at.ReadsRebuilt),
        }),
        new("inserts_per_sec", InsertsPerSecond),
        new("deletes_per_sec", DeletesPerSecond),
        new("bytes_written_per_byte", WrittenBytesPerByte),
        new("disk_bytes", DiskBytes),
        new("disk_bytes_rebuilt", DiskBytesRebuilt),
        new("disk_bytes_mean", MeanDiskBytes),
        new("disk_bytes_most", MostDiskBytes),
        new("memory_bytes_per_vector", MemoryBytesPerVector),
        new("waiting_writes", WaitingWrites),
        new("generation", Generation),
    ];

    /// <summary>The table of rows.</summary>
    public static Table CreateTable(IEnumerable<ChurnResultRow> rows) => FigureTable.Create(
        rows, startsWithName: false,
        ("share", row => $"{row.Share:F2}"),
        ("records", row => $"{row.Records}"),
        ("reads", row => $"{row.Reads:F2}"),
        ("rebuilt", row => $"{row.ReadsRebuilt:F2}"),
        ("recall", row => $"{row.Recall:F4}"),
        ("rebuilt ", row => $"{row.RecallRebuilt:F4}"),
        ("of new", row => $"{row.RecallNew:F4}"),
        ("of old", row => $"{row.RecallOld:F4}"),
        ("inserts/s", row => $"{row.InsertsPerSecond:F0}"),
        ("deletes/s", row => $"{row.DeletesPerSecond:F0}"),
        ("written/byte", row => $"{row.WrittenBytesPerByte:F2}"),
        ("disk", row => $"{row.DiskBytes / (double)row.DiskBytesRebuilt:F2}x"),
        ("mean", row => row.MeanDiskBytes is { } mean ? $"{mean / (double)row.DiskBytesRebuilt:F2}x" : ""),
        ("at most", row => row.MostDiskBytes is { } most ? $"{most / (double)row.DiskBytesRebuilt:F2}x" : ""),
        ("memory B/vector", row => $"{row.MemoryBytesPerVector:F1}"),
        ("waiting", row => $"{row.WaitingWrites}"),
        ("generation", row => $"{row.Generation}"));

    /// <summary>The table of comparisons: at equal threshold, and reads at equal recall.</summary>
    public static Table CreateComparison(IReadOnlyList<ChurnResultRow> rows)
    {
        (string, Func<ChurnResultRow, string>)[] columns =
        [
            ("share", row => $"{row.Share:F2}"),
            ($"recall at {ThresholdSweep.Compared}", row => $"{row.RecallCompared:F4}"),
            ("rebuilt", row => $"{row.RecallComparedRebuilt:F4}"),
            .. rows[0].ReadsAt.Select((at, i) => ($"reads at {at.Recall:0.####}, rebuilt", Describe(i))),
        ];
        return FigureTable.Create(rows, startsWithName: false, columns);
    }

    private static Func<ChurnResultRow, string> Describe(int index) =>
        row => row.ReadsAt[index] is (_, { } reads, { } rebuilt) ? $"{reads:F2}, {rebuilt:F2}: {reads / rebuilt:F2}x" : "";
}
