using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Collections.Waiting;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Takes waiting writes into the pages of a graph: finds a place for each new vector, and rewrites pages out of place.</summary>
/// <remarks>
/// One checkpoint; one thread calls it, others help. Nothing that it writes is needed until its file of changes is in force, unless it is
/// <see cref="IsInPlace"/>.
/// </remarks>
internal sealed unsafe class GraphCheckpoint : IDisposable
{
    // Vectors that are placed without seeing each other.
    private const int PlacedTogether = 512;

    // Bytes of pages that are composed before they are written, and into how many pieces they are divided.
    private const int ComposedBytes = 1 << 20;
    private const int ComposedPieces = 8;

    // Pages that are read ahead of their composing. A disk serves reads in turn: hundreds at once would hold up searches for milliseconds.
    private const int ReadAheadPages = 4;

    // Searches for places that a thread has in flight. With two of them, a system call for each read took a fifth of a checkpoint's time.
    private const int PlacedAtOnce = 16;

    // Pieces take some milliseconds.
    private const int PlacedInPiece = 64;

    // More passes move few nodes.
    private const int RefiningPasses = 3;

    // Processor time of a vector that is placed and of a page that is rewritten, as parts of the whole.
    private const int WorkOfPlacing = 2;
    private const int WorkOfPage = 1;

    // Deaths for which an old page is rewritten, so that all of them are renewed about once a turnover.
    private const int DeathsOfScrub = 12;

    private readonly VectorIndex _vectors;
    private readonly GraphIndex _index;
    private readonly IStorageIo _io;
    private readonly uint _writer;
    private readonly GraphDraft _draft;
    private readonly int _most;
    private readonly CheckpointPace _pace;
    private readonly CancellationToken _cancellationToken;
    private readonly Dictionary<ulong, uint?> _moved = [];
    private readonly List<uint> _retired = [];

    /// <param name="vectors">The open index.</param>
    /// <param name="changes">What earlier checkpoints changed; null for none.</param>
    /// <param name="number">Number of this one, from 1 on.</param>
    /// <param name="most">Vectors that are added at most.</param>
    /// <param name="io">Writes.</param>
    /// <param name="pace">How fast it goes.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public GraphCheckpoint(
        VectorIndex vectors, GraphChanges? changes, uint number, int most, IStorageIo io, CheckpointPace pace,
        CancellationToken cancellationToken)
    {
        _vectors = vectors;
        _index = (GraphIndex)vectors.Contents;
        _io = io;
        _writer = _index.NodeFile.Generation + number;
        _draft = new GraphDraft(_index, changes, most);
        _most = most;
        _pace = pace;
        _cancellationToken = cancellationToken;
        Number = number;
    }

    public uint Number { get; }

    /// <summary>Bytes of the files of changes after the first up to which another one is added in any case.</summary>
    public long LeastChangeBytes { get; init; }

    /// <summary>Called before a write that another writer could have made, too; an exception prevents it.</summary>
    public Action? BeforeWrite { get; init; }

    /// <summary>Whether pages keep their places, because nobody else reads them and they are of no use if it fails.</summary>
    public bool IsInPlace { get; init; }

    /// <summary>Keys that changed, as a share of the records, above which it writes the key directory anew.</summary>
    public double MostMovedKeys { get; init; } = double.PositiveInfinity;

    /// <summary>The key directory that it wrote; null if the one before stays in force.</summary>
    public KeyRegion? Keys { get; private set; }

    /// <summary>The pages after the checkpoint.</summary>
    public GraphChanges Changes => _draft.Changes;

    /// <summary>Keys that it added, moved or deleted, each once: its node, or null.</summary>
    public IReadOnlyDictionary<ulong, uint?> Moved => _moved;

    /// <summary>Nodes that died.</summary>
    public IReadOnlyList<uint> Died => _draft.Died;

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
        _moved.Add(handle, null);
    }

    /// <summary>Places vectors.</summary>
    /// <returns>False if there is no room for all of them: the graph must be built anew.</returns>
    public bool TryAdd(IEnumerable<WaitingRecord> records)
    {
        // Nearly every vector has a page rewritten.
        _pace.Expect(_most * (long)(WorkOfPlacing + WorkOfPage));

        // Those that are placed together do not see each other, so several threads may place them.
        using var near = new NearNodes(PlacedTogether);
        using var crew = new CheckpointCrew<NeighbourSearch>(() => new NeighbourSearch(_vectors, PlacedAtOnce), _pace);
        foreach (WaitingRecord[] together in records.Chunk(PlacedTogether))
        {
            near.Clear();
            ReadOnlyMemory<byte>[] vectors = [.. together.Select(record => record.Vector)];
            crew.Run(PiecesOf(together.Length, PlacedInPiece), (search, piece) =>
            {
                long began = Stopwatch.GetTimestamp();
                int first = piece * PlacedInPiece, count = Math.Min(PlacedInPiece, together.Length - first);
                search.Find(Changes, new ArraySegment<ReadOnlyMemory<byte>>(vectors, first, count), near, first, _cancellationToken);
                _pace.Done(count * WorkOfPlacing, began);
            });
            for (int i = 0; i < together.Length; i++)
            {
                if (!_draft.CanAdd)
                    return false;
                _draft.Add(together[i].Handle, together[i].Vector, near[i]);
            }
        }

        Refine();
        foreach (uint id in _draft.New.Ids)
        {
            _draft.New.TryGet(id, out NewNode node);
            _moved[node.Handle] = id;
        }

        // At most so many become known beside those that are.
        return RewritesKeys || _moved.Count <= _index.Keys.Moved.Room;
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

        if (RewritesKeys)
        {
            var rewrite = new KeyRewrite(_index, AllMoved(), Changes.Live, _io, _cancellationToken) { BeforeWrite = BeforeWrite };
            Keys = rewrite.Write(keys, _index.KeyFile.Generation + Number);
        }

        Changes.Waiting.Trim();
        AssertInvariants();
        BeforeWrite?.Invoke();
        bool isLong = IsLong(earlier);
        Dictionary<ulong, uint?> written = Keys is not null ? [] : isLong ? AllMoved() : _moved;
        return isLong
            ? [ChangeFile.WriteAll(path, _index, Changes, written, Number, free.Places, _io)]
            : [.. earlier, ChangeFile.Write(path, _index, _draft, written, Number, free.Places, _io)];
    }

    public void Dispose() => _draft.Dispose();

    /// <summary>Pages of a size that are composed before they are written: a megabyte, and one page at least.</summary>
    internal static int PagesTogether(int pageSize) => Math.Max(1, ComposedBytes / pageSize);

    // On one thread: what is written does not depend on the threads. 8,900 nodes take 0.15 s, after 2 s in which two threads place them.
    private void Refine()
    {
        using PlacementRefiner refiner = _draft.CreateRefiner();
        bool hasMoved = true;
        for (int pass = 0; pass < RefiningPasses && hasMoved; pass++)
        {
            hasMoved = false;
            for (int first = 0; first < refiner.Count; first += PlacedTogether)
            {
                _cancellationToken.ThrowIfCancellationRequested();
                long began = Stopwatch.GetTimestamp();
                hasMoved |= refiner.Refine(first, Math.Min(PlacedTogether, refiner.Count - first)) > 0;
                _pace.Done(0, began);
            }
        }

        _draft.Settle(refiner.Moved);
    }

    // At most so many have changed: some had changed before.
    private bool RewritesKeys => _index.Keys.Moved.Count + _moved.Count > MostMovedKeys * Changes.Live;

    // Keys that changed since the key directory was written.
    private Dictionary<ulong, uint?> AllMoved()
    {
        var moved = _index.Keys.Moved.All().ToDictionary(entry => entry.Key, entry => entry.Id);
        foreach ((ulong handle, uint? id) in _moved)
            moved[handle] = id;
        return moved;
    }

    // The first file has all that changed before the others: when they are as long, everything goes into one again. So each byte is
    // written about twice, and an opening reads twice the necessary at most.
    private bool IsLong(IReadOnlyList<FileEntry> files) =>
        files.Count > 0 && files.Skip(1).Sum(file => file.Length) >= Math.Max(LeastChangeBytes, files[0].Length);

    // Pages are composed by several threads, and written by this one in their order: what is written does not depend on the threads.
    private void WritePages(FreePlaces free)
    {
        uint[] pages = [.. _draft.Rewritten.Order()];
        _pace.Expect((_draft.New.Count * (long)WorkOfPlacing) + (pages.Length * (long)WorkOfPage));
        using SafeFileHandle source = _io.OpenForReading(_index.NodePath);

        // Past the cache: the pages are not read soon, and Linux would count a whole large folio for each of them.
        using SafeFileHandle target = _io.OpenForUpdate(_index.NodePath, isDirect: true);
        int together = PagesTogether(_index.Layout.PageSize), inPiece = Math.Max(1, together / ComposedPieces);
        using var composed = new NativeBuffer((nuint)together * (nuint)_index.Layout.PageSize);
        using var crew = new CheckpointCrew<PageComposer>(() => new PageComposer(_index, source, _writer), _pace);
        for (int i = 0; i < Math.Min(ReadAheadPages, pages.Length); i++)
            BeginRead(source, pages[i]);
        for (int at = 0; at < pages.Length; at += together)
        {
            int from = at, count = Math.Min(together, pages.Length - at);
            crew.Run(PiecesOf(count, inPiece), (composer, piece) =>
            {
                long began = Stopwatch.GetTimestamp();
                int first = piece * inPiece, end = Math.Min(first + inPiece, count);
                for (int i = first; i < end; i++)
                {
                    _cancellationToken.ThrowIfCancellationRequested();
                    if (from + i + ReadAheadPages < pages.Length)
                        BeginRead(source, pages[from + i + ReadAheadPages]);
                    composer.Compose(_draft, pages[from + i], Composed(composed, i, 1));
                }

                _pace.Done((end - first) * WorkOfPage, began);
            });
            Write(target, composed, pages.AsSpan(at, count), free);
        }

        _io.Sync(target);
    }

    // A page that is composed next is read meanwhile.
    private void BeginRead(SafeFileHandle source, uint page)
    {
        if (Changes.Writers[page] != 0)
            ReadAhead.Begin(source, _index.PageOffset(page, Changes), _index.Layout.PageSize);
    }

    // Pages of places that follow each other go in one write.
    private void Write(SafeFileHandle target, NativeBuffer composed, ReadOnlySpan<uint> pages, FreePlaces free)
    {
        int first = 0;
        for (int i = 0; i < pages.Length; i++)
        {
            uint page = pages[i];
            bool isOld = Changes.Writers[page] != 0, keepsPlace = isOld && IsInPlace;
            if (isOld && !keepsPlace)
                _retired.Add(Changes.Places[page]);
            uint place = keepsPlace ? Changes.Places[page] : free.Take();
            _index.Cache?.Forget(place);
            Changes.Places[page] = place;
            Changes.Writers[page] = _writer;
            Changes.Waiting.Clear(page);
            if (place != Changes.Places[pages[first]] + (uint)(i - first))
            {
                WriteRun(target, composed, pages[first..i], first);
                first = i;
            }
        }

        WriteRun(target, composed, pages[first..], first);
    }

    private void WriteRun(SafeFileHandle target, NativeBuffer composed, ReadOnlySpan<uint> pages, int first)
    {
        BeforeWrite?.Invoke();
        _io.Write(target, Composed(composed, first, pages.Length), (Changes.Places[pages[0]] + 1L) * _index.Layout.PageSize);
    }

    private static int PiecesOf(int count, int inPiece) => (count + inPiece - 1) / inPiece;

    private Span<byte> Composed(NativeBuffer composed, int first, int count)
    {
        int pageSize = _index.Layout.PageSize;
        return composed.Span(0, (int)composed.Length).Slice(first * pageSize, count * pageSize);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Changes.FindDefect() is null, "what is written can be read");
        Debug.Assert(_draft.New.Ids.All(Changes.IsLive), "a node that was placed lives");
        Debug.Assert(_draft.Died.TrueForAll(id => !Changes.IsLive(id) || _draft.New.Contains(id)), "slots of the dead are free or new");
        Debug.Assert(_draft.Rewritten.All(page => Changes.Writers[page] == _writer), "all pages that changed were written");
        Debug.Assert(_draft.New.Ids.All(id => _draft.Rewritten.Contains(id / (uint)_index.Layout.NodesPerPage)), "new nodes are in pages");
    }
}
