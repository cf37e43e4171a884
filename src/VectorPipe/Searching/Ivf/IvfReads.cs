using System.Diagnostics;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Ivf;

/// <summary>The reads of a query on lists: its lists, nearest first, in pieces; then, if they are coded, the pages to rank.</summary>
/// <remarks>
/// Looks every page up in its file's cache when the stream asks ahead. A cache that holds some of the pages is asked page by page, and the
/// stream merges the reads of neighbours that are not there. Pages that a cursor keeps are left out of a piece. Not thread-safe; disposed
/// after the stream.
/// </remarks>
internal sealed unsafe class IvfReads : IReadSource, IDisposable
{
    private readonly IvfIndex _index;
    private readonly NearLists _lists;
    private readonly CachedPages _vectors;
    private readonly CachedPages _scanned;
    private readonly CopiedPages _copies;
    private readonly uint _piecePages;
    private uint[] _pages = [];
    private int _pageCount;
    private int _next;
    private uint _nextPage;
    private float _squaredFactor;
    private int _most;
    private int _inFlight;
    private SearchTrace? _trace;

    public IvfReads(IvfIndex index, NearLists lists)
    {
        _index = index;
        _lists = lists;
        _vectors = new CachedPages(index.NodeSet, index.Cache);
        _scanned = index.CodeSet is { } codes ? new CachedPages(codes, index.CacheOf(codes)) : _vectors;
        bool hasCopies = _vectors.GivesCopies || _scanned.GivesCopies;
        _copies = new CopiedPages(hasCopies ? Math.Max(_vectors.Set.PageSize, _scanned.Set.PageSize) : 0);
        _piecePages = (uint)(index.MostReadBytes / _scanned.Set.PageSize);
    }

    /// <summary>Squared distance at which the answer ends so far: lists that cannot come nearer are passed over.</summary>
    public float Limit { get; set; }

    /// <summary>Whether the reads are those of single vectors.</summary>
    public bool IsRanking { get; private set; }

    /// <summary>Reads that were asked for, at least as many as there were: neighbours may be read together.</summary>
    public int Asked { get; private set; }

    /// <summary>Whether lists are left that have something to add, because their reads would have been too many.</summary>
    public bool HasLeft
    {
        get
        {
            for (int rank = _next; !IsRanking && rank < _lists.Count; rank++)
            {
                if (!IsBeyond(rank))
                    return true;
            }

            return false;
        }
    }

    public long Bytes { get; private set; }

    public int PagesRead { get; private set; }

    public int CacheHits { get; private set; }

    /// <summary>Begins a query whose lists are found; the stream was reset.</summary>
    /// <param name="plan">How the query scans lists.</param>
    /// <param name="limit">See <see cref="Limit"/>.</param>
    /// <param name="kept">Pages that earlier searches for the query have read; null for none.</param>
    /// <param name="trace">Receives the reads; null for none.</param>
    public void Begin(IvfPlan plan, float limit, KeptPages? kept, SearchTrace? trace)
    {
        _trace = trace;
        _vectors.Begin(kept);
        _scanned.Begin(kept);
        IsRanking = false;
        Limit = limit;
        Asked = 0;

        // Codes are no results: half of the reads are left for the vectors.
        _most = _index.IsCoded ? (plan.MostReads + 1) / 2 : plan.MostReads;
        Bytes = PagesRead = CacheHits = _next = _inFlight = 0;
        _nextPage = 0;
        _squaredFactor = plan.BoundFactor * plan.BoundFactor;
        _copies.Clear();
    }

    /// <summary>Ends the query: an idle place holds no pages of a cursor.</summary>
    public void End()
    {
        _vectors.Begin(null);
        _scanned.Begin(null);
        _trace = null;
    }

    /// <summary>Makes room for the pages of a number of vectors.</summary>
    public void Reserve(int vectors)
    {
        if (_pages.Length < vectors)
            _pages = new uint[vectors];
    }

    /// <summary>Goes on to the pages of single vectors, in ascending order, when all lists were taken in.</summary>
    public void BeginRanking(ReadOnlySpan<uint> pages)
    {
        pages.CopyTo(_pages);
        _pageCount = pages.Length;

        // The stream drops the reads that are on their way.
        _next = _inFlight = 0;
        IsRanking = true;
    }

    /// <summary>Whether the list of a rank has nothing to add to the answer.</summary>
    public bool IsBeyond(int rank) => _lists.Bound(rank) * _squaredFactor > Limit;

    /// <summary>The rank of the list that a piece belongs to.</summary>
    public static int RankOf(in ReadBuffer buffer) => (int)(buffer.State >> 32);

    /// <summary>The first page of a piece, from 0.</summary>
    public static uint PageOf(in ReadBuffer buffer) => (uint)buffer.State;

    /// <summary>Frees a piece that was taken in.</summary>
    public void Done(in ReadBuffer buffer) => _copies.Release(buffer.Pointer);

    public ReadStep Next(out ReadRange range)
    {
        if (IsRanking)
            return NextRanked(out range);
        while (_nextPage == 0 && _next < _lists.Count && IsBeyond(_next))
            _next++;
        if (_next == _lists.Count || Asked == _most)
        {
            range = default;
            return ReadStep.End;
        }

        int list = _lists[_next];
        IvfDirectory directory = _index.Lists.Directory;
        uint first = _index.IsCoded ? directory.FirstCodePage(list) : directory.FirstPage(list);
        uint end = _index.IsCoded ? directory.FirstCodePage(list + 1) : directory.FirstPage(list + 1);
        first += _nextPage;
        uint pages = _scanned.Together(first, Math.Min(_piecePages, end - first));
        if (!TryAsk(_scanned, first, pages, ((long)_next << 32) | first, out range))
            return ReadStep.Yield;
        _nextPage += pages;
        if (first + pages == end)
        {
            _next++;
            _nextPage = 0;
        }

        return ReadStep.Read;
    }

    public void Verify(in ReadBuffer buffer)
    {
        // Cached pages were verified when they were read.
        if (buffer.Range.Address != 0)
            return;
        CachedPages pages = IsRanking ? _vectors : _scanned;
        byte* bytes = buffer.Pointer;
        for (uint page = PageOf(buffer), end = page + (uint)(buffer.Range.Length / pages.Set.PageSize); page < end;
            page++, bytes += pages.Set.PageSize)
        {
            pages.Set.Verify(page, bytes);
            pages.Offer(page, bytes);
        }
    }

    public void OnIssued(long state)
    {
        _inFlight++;
        _trace?.Issued(Stopwatch.GetTimestamp(), (uint)state, _inFlight);
    }

    public void OnLanded(long state)
    {
        _inFlight--;
        _trace?.Landed(Stopwatch.GetTimestamp(), (uint)state);
    }

    public Exception Explain(in ReadRange range, Exception error)
    {
        string path = range.File == SearchIndex.NodesFile ? _vectors.Set.Path : _scanned.Set.Path;
        return new DeviceException($"{path}, page {(uint)range.State + 1L}: {error.Message}", error);
    }

    public void Dispose() => _copies.Dispose();

    private ReadStep NextRanked(out ReadRange range)
    {
        range = default;
        if (_next == _pageCount)
            return ReadStep.End;
        if (!TryAsk(_vectors, _pages[_next], 1, _pages[_next], out range))
            return ReadStep.Yield;
        _next++;
        return ReadStep.Read;
    }

    /// <summary>Names the next range. False if there is no room for a copy before earlier pieces are taken in.</summary>
    private bool TryAsk(CachedPages pages, uint first, uint count, long state, out ReadRange range)
    {
        range = default;
        if (!_copies.HasRoom && pages.GivesCopies)
            return false;
        int length = (int)count * pages.Set.PageSize;
        byte* found = pages.Find(first, (int)count, _copies.Room);
        if (found is null)
        {
            Bytes += length;
            PagesRead += (int)count;
            Asked++;
        }
        else
        {
            CacheHits += (int)count;
            _copies.Take(found);
        }

        range = new ReadRange(pages.Set.File, pages.Set.OffsetOf(first), length, state, (nint)found);
        return true;
    }
}
