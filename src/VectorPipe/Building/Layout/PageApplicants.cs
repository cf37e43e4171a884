namespace VectorPipe.Building.Layout;

/// <summary>The applications to a range of pages, page by page, those that matter most to the applicants first.</summary>
/// <remarks>Grows to the largest range and allocates nothing after. Not thread-safe.</remarks>
internal sealed class PageApplicants
{
    private const int CancellationStride = 1 << 14;

    private readonly int _nodesPerPage;
    private int[] _offsets = [];
    private PageApplicant[] _sorted = [];
    private PageApplicant[] _found = new PageApplicant[1 << 12];
    private int[] _foundPages = new int[1 << 12];
    private int _count;
    private int _firstPage;

    /// <param name="nodesPerPage">Nodes of a page.</param>
    public PageApplicants(int nodesPerPage) => _nodesPerPage = nodesPerPage;

    /// <summary>Collects the applications to pages firstPage .. firstPage+pages-1.</summary>
    public void Collect(PageApplications applications, int firstPage, int pages, CancellationToken cancellationToken)
    {
        _firstPage = firstPage;
        _count = 0;
        uint first = (uint)firstPage * (uint)_nodesPerPage;
        uint span = (uint)pages * (uint)_nodesPerPage;
        for (int node = 0; node < applications.Count; node++)
        {
            if (node % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<uint> row = applications.Of(node);
            for (int rank = 0; rank < row.Length; rank++)
            {
                uint behind = row[rank] - first;
                if (behind < span && row[rank] != PageApplications.None)
                    Found((int)(behind / (uint)_nodesPerPage), new PageApplicant(rank, (uint)node, (int)(behind % (uint)_nodesPerPage)));
            }
        }

        Sort(pages);
    }

    /// <summary>The applicants of a page, by rank, then by node.</summary>
    public ReadOnlySpan<PageApplicant> Of(int page) => _sorted.AsSpan(_offsets[page - _firstPage].._offsets[page - _firstPage + 1]);

    private void Found(int page, PageApplicant applicant)
    {
        if (_count == _found.Length)
        {
            Array.Resize(ref _found, _count * 3 / 2);
            Array.Resize(ref _foundPages, _count * 3 / 2);
        }

        _found[_count] = applicant;
        _foundPages[_count++] = page;
    }

    private void Sort(int pages)
    {
        if (_offsets.Length < pages + 2)
            _offsets = new int[pages + 2];
        if (_sorted.Length < _count)
            _sorted = new PageApplicant[_found.Length];
        Array.Clear(_offsets, 0, pages + 2);
        for (int i = 0; i < _count; i++)
            _offsets[_foundPages[i] + 2]++;
        for (int page = 0; page < pages; page++)
            _offsets[page + 2] += _offsets[page + 1];
        for (int i = 0; i < _count; i++)
            _sorted[_offsets[_foundPages[i] + 1]++] = _found[i];
        for (int page = 0; page < pages; page++)
        {
            _sorted.AsSpan(_offsets[page].._offsets[page + 1]).Sort(static (a, b) => a.Rank != b.Rank ? a.Rank.CompareTo(b.Rank) : a.Node.CompareTo(b.Node));
        }
    }
}
