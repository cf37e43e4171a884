namespace VectorPipe.Storage.Manifests;

/// <summary>Where each list lies: all arithmetic over the numbers of rows.</summary>
/// <remarks>
/// Row j of a list has the internal id first page x vectors of a page + j, so ids have gaps where a list's last page is not full. A list's
/// codes lie in the same order in pages of their own.
/// Immutable.
/// </remarks>
internal sealed class IvfDirectory
{
    private readonly uint[] _rows;
    private readonly uint[] _firstPages;
    private readonly uint[] _firstCodePages;
    private readonly int _vectorsPerPage;
    private readonly int _codesPerPage;

    /// <param name="rows">Rows of each list.</param>
    /// <param name="vectorsPerPage">Vectors of a page.</param>
    /// <param name="codesPerPage">Codes of a page; 0 if there are none.</param>
    public IvfDirectory(ReadOnlySpan<uint> rows, int vectorsPerPage, int codesPerPage)
    {
        _rows = rows.ToArray();
        _vectorsPerPage = vectorsPerPage;
        _codesPerPage = codesPerPage;
        _firstPages = FirstPages(rows, vectorsPerPage);
        _firstCodePages = codesPerPage > 0 ? FirstPages(rows, codesPerPage) : [];
    }

    /// <summary>Lists.</summary>
    public int Count => _rows.Length;

    /// <summary>Pages of vectors.</summary>
    public uint Pages => _firstPages[^1];

    /// <summary>Pages of codes; 0 if there are none.</summary>
    public uint CodePages => _codesPerPage > 0 ? _firstCodePages[^1] : 0;

    /// <summary>Rows of a list.</summary>
    public int Rows(int list) => (int)_rows[list];

    /// <summary>Rows of all lists.</summary>
    public long TotalRows => _rows.Sum(rows => (long)rows);

    /// <summary>First page of a list's vectors, from 0; of the list behind the last one the number of pages.</summary>
    public uint FirstPage(int list) => _firstPages[list];

    /// <summary>First page of a list's codes, from 0; of the list behind the last one the number of pages.</summary>
    public uint FirstCodePage(int list) => _firstCodePages[list];

    /// <summary>Internal id of a list's first row.</summary>
    public uint FirstId(int list) => _firstPages[list] * (uint)_vectorsPerPage;

    /// <summary>Vectors of a page.</summary>
    /// <param name="page">Its number, from 0.</param>
    public int VectorsOf(uint page) => ItemsOf(page, _firstPages, _vectorsPerPage, out _);

    /// <summary>Codes of a page.</summary>
    /// <param name="page">Its number, from 0.</param>
    /// <param name="firstId">Receives the internal id of the first code's vector.</param>
    public int CodesOf(uint page, out uint firstId)
    {
        int items = ItemsOf(page, _firstCodePages, _codesPerPage, out int list);
        firstId = FirstId(list) + ((page - _firstCodePages[list]) * (uint)_codesPerPage);
        return items;
    }

    private int ItemsOf(uint page, uint[] firstPages, int perPage, out int list)
    {
        // No list is empty, so no two lists begin with the same page.
        int found = Array.BinarySearch(firstPages, page);
        list = found >= 0 ? found : ~found - 1;
        return (int)Math.Min(perPage, _rows[list] - ((long)(page - firstPages[list]) * perPage));
    }

    private static uint[] FirstPages(ReadOnlySpan<uint> rows, int perPage)
    {
        uint[] first = new uint[rows.Length + 1];
        for (int list = 0; list < rows.Length; list++)
            first[list + 1] = checked(first[list] + ((rows[list] - 1) / (uint)perPage) + 1);
        return first;
    }
}
