using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage;

namespace VectorPipe.Searching.Ivf;

/// <summary>What a query on lists reads: its lists, nearest first, each in pieces as long as a buffer; with coded lists then the pages of the vectors that are ranked exactly.</summary>
/// <remarks>Not thread-safe; one instance a query slot.</remarks>
internal sealed unsafe class ListReads : IReadSource
{
    private readonly ListIndex _index;
    private readonly NearLists _lists;
    private readonly int _pageSize;
    private readonly int _piecePages;
    private uint[] _pages = [];
    private int _pageCount;
    private int _next;
    private uint _nextPage;
    private float _boundFactor;

    /// <param name="index">What is read.</param>
    /// <param name="lists">The lists of the query.</param>
    public ListReads(ListIndex index, NearLists lists)
    {
        _index = index;
        _lists = lists;
        _pageSize = index.IsCoded ? PageCodec.PageUnit : index.Layout.PageSize;
        _piecePages = index.MostReadBytes / _pageSize;
    }

    /// <summary>Squared distance at which the answer ends for now: lists that cannot come nearer are passed over.</summary>
    public float Limit { get; set; }

    /// <summary>Whether what is asked for are the pages of single vectors.</summary>
    public bool IsRanking { get; private set; }

    /// <summary>Bytes asked for.</summary>
    public long Bytes { get; private set; }

    /// <summary>Begins a query, with its lists found.</summary>
    /// <param name="threshold">See <see cref="SearchOptions.Probes"/>.</param>
    public void Begin(float threshold)
    {
        IsRanking = false;
        Limit = float.PositiveInfinity;
        Bytes = _next = 0;
        _nextPage = 0;
        _boundFactor = threshold * threshold;
    }

    /// <summary>Makes room for the pages of so many vectors.</summary>
    public void Reserve(int vectors)
    {
        if (_pages.Length < vectors)
            _pages = new uint[vectors];
    }

    /// <summary>Goes on to the pages of single vectors.</summary>
    /// <param name="pages">Pages, ascending; copied. Room was made for them.</param>
    public void BeginRanking(ReadOnlySpan<uint> pages)
    {
        pages.CopyTo(_pages);
        _pageCount = pages.Length;
        _next = 0;
        IsRanking = true;
    }

    /// <summary>Whether the list of a rank has nothing to add to the answer.</summary>
    public bool IsBeyond(int rank) => _lists.Bound(rank) * _boundFactor > Limit;

    /// <summary>The rank of the list that a piece belongs to.</summary>
    public static int RankOf(in ReadBuffer buffer) => (int)(buffer.State >> 32);

    /// <summary>The first page of a piece, from 0.</summary>
    public static uint PageOf(in ReadBuffer buffer) => (uint)buffer.State;

    /// <inheritdoc/>
    public ReadStep Next(out ReadRange range)
    {
        range = default;
        if (IsRanking)
        {
            if (_next == _pageCount)
                return ReadStep.End;
            uint page = _pages[_next++];
            range = new ReadRange(SearchIndex.NodesFile, _index.PageOffset(page), _index.Layout.PageSize, page);
            Bytes += range.Length;
            return ReadStep.Read;
        }

        while (_nextPage == 0 && _next < _lists.Count && IsBeyond(_next))
            _next++;
        if (_next == _lists.Count)
            return ReadStep.End;
        int list = _lists[_next];
        ListDirectory directory = _index.Lists.Directory;
        uint first = _index.IsCoded ? directory.FirstCodePage(list) : directory.FirstPage(list);
        uint end = _index.IsCoded ? directory.FirstCodePage(list + 1) : directory.FirstPage(list + 1);
        first += _nextPage;
        uint pages = Math.Min((uint)_piecePages, end - first);
        range = new ReadRange(
            _index.IsCoded ? ListIndex.CodesFile : SearchIndex.NodesFile, (first + 1L) * _pageSize, (int)pages * _pageSize, ((long)_next << 32) | first);
        Bytes += range.Length;
        _nextPage += pages;
        if (first + pages == end)
        {
            _next++;
            _nextPage = 0;
        }

        return ReadStep.Read;
    }

    /// <inheritdoc/>
    public void Verify(in ReadBuffer buffer)
    {
        uint page = PageOf(buffer);
        int pageSize = IsRanking ? _index.Layout.PageSize : _pageSize;
        for (int from = 0; from < buffer.Range.Length; from += pageSize, page++)
        {
            if (buffer.Range.File == SearchIndex.NodesFile)
                _index.VerifyVectorPage(page, buffer.Pointer + from);
            else
                _index.VerifyCodePage(page, buffer.Bytes.Slice(from, pageSize));
        }
    }

    /// <inheritdoc/>
    public Exception Explain(in ReadRange range, Exception error)
    {
        string? path = range.File == SearchIndex.NodesFile ? _index.NodePath : _index.CodesPath;
        Debug.Assert(path is not null, "what was read has a path");
        return new DeviceException($"{path}, page {(uint)range.State + 1L}: {error.Message}", error);
    }
}
