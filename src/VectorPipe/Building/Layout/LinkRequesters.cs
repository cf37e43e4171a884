using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Building.Layout;

/// <summary>The link requests to a range of pages, page by page, those that matter most to their requesters first.</summary>
/// <remarks>
/// Grows to the largest range and allocates nothing after. Not thread-safe, except that several threads may sort different pages.
/// </remarks>
internal sealed class LinkRequesters(int nodesPerPage)
{
    private const int CancellationStride = 1 << 14;

    private int[] _offsets = [];
    private LinkRequester[] _sorted = [];
    private LinkRequester[] _found = [];
    private int[] _foundPages = [];
    private int _count;
    private int _firstPage;

    public static int BytesOfRequester => Unsafe.SizeOf<LinkRequester>();

    /// <summary>The length to which a full array of so many requesters grows.</summary>
    internal static int Grown(int count) => (int)Math.Min(Array.MaxLength, Math.Max(1L << 12, count * 3L / 2));

    /// <summary>Collects the requests to pages firstPage .. firstPage + pages - 1 by a scan of all.</summary>
    public void Collect(PageLinkRequests requests, int firstPage, int pages, CancellationToken cancellationToken)
    {
        Begin(firstPage, pages);
        _count = 0;
        uint first = (uint)firstPage * (uint)nodesPerPage;
        uint span = (uint)pages * (uint)nodesPerPage;
        for (int node = 0; node < requests.Count; node++)
        {
            if (node % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<uint> row = requests.Of(node);

            // Most of a row's requests go to other ranges.
            int rank = 0;
            for (; rank <= row.Length - Vector<uint>.Count; rank += Vector<uint>.Count)
            {
                if (Vector.LessThanAny(new Vector<uint>(row[rank..]) - new Vector<uint>(first), new Vector<uint>(span)))
                    Find(node, row, rank, rank + Vector<uint>.Count, first, span);
            }

            Find(node, row, rank, row.Length, first, span);
        }

        for (int i = 0; i < _count; i++)
            _offsets[_foundPages[i] + 2]++;
        MakeRoom(_count, pages);
        for (int i = 0; i < _count; i++)
            _sorted[_offsets[_foundPages[i] + 1]++] = _found[i];
    }

    /// <summary>Makes room for so many requesters in one step.</summary>
    public void Reserve(int count)
    {
        if (_sorted.Length < count)
            _sorted = new LinkRequester[count];
    }

    /// <summary>Loads the requests to pages firstPage .. firstPage + pages - 1, in any order.</summary>
    public void Take(ReadOnlySpan<ShuffledLinkRequest> rows, int firstPage, int pages)
    {
        Begin(firstPage, pages);
        uint first = (uint)firstPage * (uint)nodesPerPage;
        foreach (ref readonly ShuffledLinkRequest row in rows)
            _offsets[(row.Owner - first) / (uint)nodesPerPage + 2]++;
        MakeRoom(rows.Length, pages);
        foreach (ref readonly ShuffledLinkRequest row in rows)
        {
            (uint page, uint slot) = Math.DivRem(row.Owner - first, (uint)nodesPerPage);
            _sorted[_offsets[page + 1]++] = new LinkRequester(row.Rank, row.Node, (int)slot);
        }
    }

    /// <summary>Sorts the requesters of a page by rank, then by node, and returns them.</summary>
    public ReadOnlySpan<LinkRequester> Sort(int page)
    {
        Span<LinkRequester> requesters = _sorted.AsSpan(_offsets[page - _firstPage].._offsets[page - _firstPage + 1]);
        LinkRequester.Sort(requesters);
        return requesters;
    }

    private void Begin(int firstPage, int pages)
    {
        _firstPage = firstPage;
        if (_offsets.Length < pages + 2)
            _offsets = new int[pages + 2];
        Array.Clear(_offsets, 0, pages + 2);
    }

    private void Find(int node, ReadOnlySpan<uint> row, int rank, int end, uint first, uint span)
    {
        for (; rank < end; rank++)
        {
            uint behind = row[rank] - first;
            if (behind < span && row[rank] != PageLinkRequests.None)
                Found((int)(behind / (uint)nodesPerPage), new LinkRequester(rank, (uint)node, (int)(behind % (uint)nodesPerPage)));
        }
    }

    private void Found(int page, LinkRequester requester)
    {
        if (_count == _found.Length)
        {
            int length = Grown(_count);
            Array.Resize(ref _found, length);
            Array.Resize(ref _foundPages, length);
        }

        _found[_count] = requester;
        _foundPages[_count++] = page;
    }

    // Counts, two places behind the page, become the places where requesters of the page before begin.
    private void MakeRoom(int count, int pages)
    {
        if (_sorted.Length < count)
        {
            _sorted = [];
            _sorted = new LinkRequester[Math.Max(count, _found.Length)];
        }

        for (int page = 0; page < pages; page++)
            _offsets[page + 2] += _offsets[page + 1];
    }
}
