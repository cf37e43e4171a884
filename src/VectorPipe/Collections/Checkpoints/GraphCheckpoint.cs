using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Collections.Waiting;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Takes waiting writes into the pages of a graph: finds a place for each new vector, and rewrites pages out of place.</summary>
/// <remarks>One checkpoint, on one thread. Nothing that it writes is needed until its file of changes is in force.</remarks>
internal sealed unsafe class GraphCheckpoint
{
    // Vectors that are placed without seeing each other.
    private const int PlacedTogether = 512;

    // Deaths for which an old page is rewritten, so that all of them are renewed about once a turnover.
    private const int DeathsOfScrub = 12;

    private const int PlaceBytes = 12;

    private readonly VectorIndex _vectors;
    private readonly GraphIndex _index;
    private readonly IStorageIo _io;
    private readonly uint _writer;
    private readonly GraphDraft _draft;
    private readonly CancellationToken _cancellationToken;
    private readonly List<(ulong Handle, uint? Id)> _moved = [];
    private readonly List<uint> _retired = [];

    /// <param name="vectors">The open index.</param>
    /// <param name="changes">What earlier checkpoints changed; null for none.</param>
    /// <param name="number">Number of this one, from 1 on.</param>
    /// <param name="most">Vectors that are added at most.</param>
    /// <param name="io">Writes.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public GraphCheckpoint(
        VectorIndex vectors, GraphChanges? changes, uint number, int most, IStorageIo io, CancellationToken cancellationToken)
    {
        _vectors = vectors;
        _index = (GraphIndex)vectors.Contents;
        _io = io;
        _writer = _index.NodeFile.Generation + number;
        _draft = new GraphDraft(_index, changes, most);
        _cancellationToken = cancellationToken;
        Number = number;
    }

    public uint Number { get; }

    /// <summary>Bytes of files of changes up to which another one is added in any case.</summary>
    public long LeastChangeBytes { get; init; }

    /// <summary>Called before a write that another writer could have made, too; an exception prevents it.</summary>
    public Action? BeforeWrite { get; init; }

    /// <summary>Keys that changed, as a share of the records, above which it writes the key directory anew.</summary>
    public double MostMovedKeys { get; init; } = double.PositiveInfinity;

    /// <summary>The key directory that it wrote; null if the one before stays in force.</summary>
    public KeyRegion? Keys { get; private set; }

    /// <summary>The pages after the checkpoint.</summary>
    public GraphChanges Changes => _draft.Changes;

    /// <summary>Keys that it added or deleted.</summary>
    public IReadOnlyList<(ulong Handle, uint? Id)> Moved => _moved;

    /// <summary>Places that it gave up.</summary>
    public List<uint> Retired => _retired;

    /// <summary>Pages that it wrote.</summary>
    public int Pages => _draft.Rewritten.Count;

    /// <summary>Notes that a record was deleted, or will be added anew.</summary>
    /// <param name="handle">Its key in the index.</param>
    /// <param name="id">Its node.</param>
    public void Delete(ulong handle, uint id)
    {
        _draft.Kill(id);
        _moved.Add((handle, null));
    }

    /// <summary>Places vectors.</summary>
    /// <returns>False if there is no room for all of them: the graph must be built anew.</returns>
    public bool TryAdd(IEnumerable<WaitingRecord> records)
    {
        using var search = new NeighbourSearch(_vectors);
        foreach (WaitingRecord[] together in records.Chunk(PlacedTogether))
        {
            uint[][] near = search.Find(Changes, [.. together.Select(record => record.Vector)], _cancellationToken);
            for (int i = 0; i < together.Length; i++)
            {
                if (!_draft.CanAdd)
                    return false;
                uint id = _draft.Add(together[i].Handle, together[i].Vector, near[i]);
                _moved.Add((together[i].Handle, id));
            }
        }

        return true;
    }

    /// <summary>Rewrites pages, and writes the file of changes. When it returns, all of it is on disk, but for the file's name.</summary>
    /// <param name="free">Gives places.</param>
    /// <param name="keys">Gives room for a key directory.</param>
    /// <param name="path">Path of the file of changes.</param>
    /// <param name="scrubbed">The page from which on old pages are renewed; the next one after it.</param>
    /// <param name="earlier">Files of earlier changes, oldest first.</param>
    /// <returns>The files that replace them, oldest first.</returns>
    public IReadOnlyList<FileEntry> Write(
        FreePlaces free, KeyPlaces keys, string path, ref uint scrubbed, IReadOnlyList<FileEntry> earlier)
    {
        for (int left = _draft.Died.Count / DeathsOfScrub; left > 0; left--)
            _draft.Rewritten.Add(scrubbed++ % (uint)Changes.Pages);
        WritePages(free);
        Dictionary<ulong, uint?> moved = AllMoved();
        if (moved.Count > MostMovedKeys * Changes.Live)
        {
            BeforeWrite?.Invoke();
            Keys = new KeyRewrite(_index, moved, Changes.Live, _io, _cancellationToken).Write(keys, _index.KeyFile.Generation + Number);
        }

        AssertInvariants();
        BeforeWrite?.Invoke();
        if (earlier.Sum(file => file.Length) < MostBytes())
            return [.. earlier, ChangeFile.Write(path, _index, _draft, Keys is null ? _moved : [], Number, free.Places, _io)];
        (ulong, uint?)[] written = Keys is null ? [.. moved.Select(entry => (entry.Key, entry.Value))] : [];
        return [ChangeFile.WriteAll(path, _index, Changes, written, Number, free.Places, _io)];
    }

    // Keys that changed since the key directory was written.
    private Dictionary<ulong, uint?> AllMoved()
    {
        var moved = _index.Keys.Moved.All().ToDictionary(entry => entry.Key, entry => entry.Id);
        foreach ((ulong handle, uint? id) in _moved)
            moved[handle] = id;
        return moved;
    }

    // As long as a file of everything that can change: then each byte of it is written about twice.
    private long MostBytes() =>
        Math.Max(
            LeastChangeBytes,
            Changes.Pages * (long)(_index.Layout.NodesPerPage * (_index.Schema.CodeBytes + 1) + Changes.PageGraph.BlockBytes + PlaceBytes));

    private void WritePages(FreePlaces free)
    {
        int pageSize = _index.Layout.PageSize;
        var rewriter = new PageRewriter(_index);
        using var old = new NativeBuffer((nuint)pageSize);
        using var page = new NativeBuffer((nuint)pageSize);
        using SafeFileHandle source = _io.OpenForReading(_index.NodePath);
        using SafeFileHandle target = _io.OpenForUpdate(_index.NodePath, isDirect: false);
        foreach (uint number in _draft.Rewritten)
        {
            _cancellationToken.ThrowIfCancellationRequested();
            bool isNew = Changes.Writers[number] == 0;
            if (!isNew)
                _index.Read(source, number, old, Changes);
            Span<byte> bytes = page.Span(0, pageSize);
            bytes.Clear();
            var identity = new PageIdentity(_index.NodeFile.FileId, number + 1L, _writer);
            rewriter.Rewrite(_draft, number, isNew ? null : old.Pointer, bytes, identity);
            uint place = free.Take();
            _index.Cache?.Forget(place);
            BeforeWrite?.Invoke();
            _io.Write(target, bytes, (place + 1L) * pageSize);
            if (!isNew)
                _retired.Add(Changes.Places[number]);
            Changes.Places[number] = place;
            Changes.Writers[number] = _writer;
            Changes.Waiting[number] = null;
        }

        _io.Sync(target);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Changes.FindDefect() is null, "what is written can be read");
        Debug.Assert(_draft.New.Keys.All(Changes.IsLive), "a node that was placed lives");
        Debug.Assert(_draft.Died.TrueForAll(id => !Changes.IsLive(id) || _draft.New.ContainsKey(id)), "slots of the dead are free or new");
        Debug.Assert(_draft.Rewritten.All(page => Changes.Writers[page] == _writer), "all pages that changed were written");
        Debug.Assert(_draft.New.Keys.All(id => _draft.Rewritten.Contains(id / (uint)_index.Layout.NodesPerPage)), "new nodes are in pages");
    }
}
