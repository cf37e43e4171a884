using VectorPipe.Model;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Log;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Manifests;

/// <summary>What a collection is, and where its content begins: a generation, and a place in the log for what came later.</summary>
/// <remarks>Immutable. The file is written anew, atomically, by each checkpoint.</remarks>
internal sealed record CollectionManifest
{
    /// <summary>Identity of the collection and of its log.</summary>
    public required ulong Id { get; init; }

    /// <summary>Seed of the hash that makes handles of keys.</summary>
    public required ulong HashSeed { get; init; }

    public required KeyType KeyType { get; init; }

    public required CollectionSchema Schema { get; init; }

    /// <summary>Number of the generation in force; 0 for none: all content is in the log.</summary>
    public uint Generation { get; init; }

    /// <summary>Where the log goes on above the generation; its group is the last one that the generation holds.</summary>
    public LogPosition Log { get; init; } = LogPosition.Start;

    /// <summary>The generation's records; null if none has key bytes, attributes or a payload.</summary>
    public RecordFileInfo? Records { get; init; }

    /// <summary>The attributes of the generation's records as columns; null if it has no records, or the schema no attributes.</summary>
    public FileEntry? Columns { get; init; }

    /// <summary>Number of the last checkpoint of the generation; 0 for none.</summary>
    public uint Checkpoint { get; init; }

    /// <summary>Files of what checkpoints changed of the generation, oldest first.</summary>
    public IReadOnlyList<FileEntry> Changes { get; init; } = [];

    /// <summary>The key directory that a checkpoint wrote; null if that of the build is in force.</summary>
    public KeyRegion? Keys { get; init; }

    /// <summary>Records that checkpoints wrote, oldest first; empty unless records have bodies, or pages round vectors.</summary>
    public IReadOnlyList<RecordFileInfo> LaterRecords { get; init; } = [];

    /// <summary>Keys whose handle is another one than that to which they hash, because another key has it: nearly always none.</summary>
    public IReadOnlyList<(byte[] Key, ulong Handle)> Displaced { get; init; } = [];

    /// <summary>What it says of files beside the index and the log, for people to read.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Details
    {
        get
        {
            var lines = new List<KeyValuePair<string, string>>();
            if (Generation == 0)
                return lines;
            lines.Add(new("checkpoints", $"{Checkpoint}"));
            foreach (FileEntry file in Files)
                IndexDetails.AddFile(lines, new IndexFileInfo(file.Role.ToString(), file.Name, file.PageSize, file.PageCount, file.Length));
            return lines;
        }
    }

    private IEnumerable<FileEntry> Files
    {
        get
        {
            IEnumerable<RecordFileInfo> records = Records is null ? LaterRecords : LaterRecords.Prepend(Records);
            IEnumerable<FileEntry> columns = Columns is null ? [] : [Columns];
            return records.SelectMany(file => new[] { file.Heap, file.Directory }).Concat(columns).Concat(Changes);
        }
    }

    /// <summary>The same without content below the log.</summary>
    public CollectionManifest WithoutGeneration() =>
        this with { Generation = 0, Records = null, Columns = null, Checkpoint = 0, Changes = [], Keys = null, LaterRecords = [] };
}
