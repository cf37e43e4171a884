using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Columns;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Records;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Generations;

/// <summary>The immutable part of a collection: an index of the vectors by their handles, and what the records hold beside them.</summary>
/// <remarks>
/// Thread-safe. Searches lease it; it is closed when it was retired and the last lease has ended, so that a rebuild can replace it while it
/// is searched.
/// </remarks>
internal sealed class CollectionGeneration
{
    private readonly Action<CollectionGeneration> _closed;
    private readonly RecordFile? _built;
    private readonly List<RecordFile> _opened = [];
    private readonly List<(uint Checkpoint, RecordFile File)> _retired = [];

    private LeaseCount _leases = new();

    /// <param name="number">Its number.</param>
    /// <param name="index">The vectors; owned from here on.</param>
    /// <param name="built">Keys, attributes and payloads as the build wrote them; null if no record had any. Owned from here on.</param>
    /// <param name="closed">Called when the files are closed.</param>
    public CollectionGeneration(uint number, VectorIndex index, RecordFile? built, Action<CollectionGeneration> closed)
    {
        Number = number;
        Index = index;
        _built = built;
        Latest = new GenerationContent(null, 0, With([], index.Contents.Keys.Moved), new ContentMatches());
        _closed = closed;
    }

    public uint Number { get; }

    public VectorIndex Index { get; }

    /// <summary>Its content when it was opened, or after its last checkpoint: the writer's thread sets it, once it is in force.</summary>
    public GenerationContent Latest { get; set; }

    /// <summary>Held while a checkpoint is committed, or while the attributes of its newest content are read.</summary>
    public SemaphoreSlim Gate { get; } = new(1);

    /// <summary>The attributes that the build took; null if it took none. Owned.</summary>
    public ColumnFile? Columns { get; set; }

    /// <summary>Pages of its record files in memory; null for none.</summary>
    public RecordPageCache? RecordPages { get; init; }

    /// <summary>Places in the node file; the maintenance takes and frees them.</summary>
    public FreePlaces? Places { get; init; }

    /// <summary>Room for key directories; as <see cref="Places"/>.</summary>
    public KeyPlaces? KeyPlaces { get; init; }

    /// <summary>Whether checkpoints can take writes in: pages have room, and hold all of a vector.</summary>
    public bool CanChange => Places is not null;

    /// <summary>Records that the build took.</summary>
    public long Count => Index.Info.Count;

    /// <summary>The records with those that checkpoints wrote.</summary>
    /// <param name="later">Files of checkpoints, oldest first; owned from here on.</param>
    /// <param name="moved">The keys that checkpoints added, replaced or deleted; all of them if there are records.</param>
    public RecordFiles With(IReadOnlyList<RecordFile> later, MovedKeys moved)
    {
        _opened.AddRange(later.Except(_opened));
        SearchIndex index = Index.Contents;
        return new RecordFiles(_built, later, moved, index.Vectors is null ? 0 : index.Schema.VectorBytes);
    }

    /// <summary>The records after a checkpoint: opens its file.</summary>
    /// <param name="folder">The collection's directory.</param>
    /// <param name="checkpoint">Its number.</param>
    /// <param name="later">Files of checkpoints, oldest first.</param>
    /// <param name="moved">The keys that checkpoints added, replaced or deleted; all of them if there are records.</param>
    public RecordFiles With(CollectionFolder folder, uint checkpoint, IReadOnlyList<RecordFileInfo> later, MovedKeys moved)
    {
        string path = folder.GenerationPath(Number);
        var files = new List<RecordFile>();

        // Of those in force alone: a checkpoint that failed may have left one open that differs from its successor in content alone.
        IReadOnlyList<RecordFile> before = Latest.Records.Later;
        foreach (RecordFileInfo info in later)
            files.Add(before.FirstOrDefault(file => file.Info == info) ?? RecordFile.Open(folder.Io, path, info, RecordPages));
        IEnumerable<RecordFile> unused = _opened.Except(files).Where(file => !_retired.Exists(entry => entry.File == file));
        _retired.AddRange(unused.Select(file => (checkpoint, file)));
        return With(files, moved);
    }

    /// <summary>Closes files that no view has any more.</summary>
    /// <param name="oldest">Number of the oldest checkpoint that a view has.</param>
    public void Reclaim(uint oldest)
    {
        foreach ((_, RecordFile file) in _retired.Where(entry => entry.Checkpoint <= oldest))
        {
            _opened.Remove(file);
            file.Dispose();
        }

        _retired.RemoveAll(entry => entry.Checkpoint <= oldest);
    }

    /// <summary>Frees the page graph that the build wrote. Each checkpoint has one of its own: only views of before search it.</summary>
    public void ReleaseBuilt() => (Index.Contents as GraphIndex)?.PageGraph?.Release();

    /// <summary>Bytes of memory that its index needs, without caches.</summary>
    public long MemoryBytes
    {
        get
        {
            var graph = Index.Contents as GraphIndex;
            long released = graph is { PageGraph.IsReleased: true } ? Index.Info.PageGraphMemoryBytes : 0;
            return Index.Info.MemoryBytes - released + (graph?.Cells?.MemoryBytes ?? 0);
        }
    }

    /// <summary>Bytes of memory that changes take beside it.</summary>
    public long MemoryOf(GraphChanges changes)
    {
        SearchIndex index = Index.Contents;
        long codes = Math.Max(0, changes.NodeCount - (long)index.NodeCount) * index.Schema.CodeBytes;
        return codes + changes.MemoryBytes + (Places?.MemoryBytes ?? 0) + index.Keys.Moved.MemoryBytes;
    }

    /// <summary>Leases the generation; false if it was closed.</summary>
    public bool TryLease() => _leases.TryTake();

    /// <summary>Ends a lease, or the owner's hold.</summary>
    public void Release()
    {
        if (!_leases.End())
            return;
        Index.Dispose();
        _built?.Dispose();
        Columns?.Dispose();
        foreach (RecordFile file in _opened)
            file.Dispose();
        _closed(this);
    }
}
