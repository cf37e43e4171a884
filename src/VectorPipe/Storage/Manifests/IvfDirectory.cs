namespace VectorPipe.Storage.Manifests;

/// <summary>The place of each list, computed from the numbers of rows. Immutable.</summary>
/// <remarks>
/// Row j of a list has the internal id first page x vectors per page + j, so ids have gaps where a list's last page is not full. The codes
/// of a list lie in the same order in pages of their own.
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
    /// <param name="codesPerPage">Codes of a page; 0 without codes.</param>
    public IvfDirectory(ReadOnlySpan<uint> rows, int vectorsPerPage, int codesPerPage)
    {
        _rows = rows.ToArray();
        _vectorsPerPage = vectorsPerPage;
        _codesPerPage = codesPerPage;
        _firstPages = FirstPages(rows, vectorsPerPage);
        _firstCodePages = codesPerPage > 0 ? FirstPages(rows, codesPerPage) : [];
    }

    public int Count => _rows.Length;
    public uint Pages => _firstPages[^1];

    /// <summary>Pages of codes; 0 without codes.</summary>
    public uint CodePages => _codesPerPage > 0 ? _firstCodePages[^1] : 0;

    public int Rows(int list) => (int)_rows[list];

    public long TotalRows => _rows.Sum(rows => (long)rows);

    /// <summary>First page of a list's vectors, from 0; <see cref="Pages"/> for the list after the last one.</summary>
    public uint FirstPage(int list) => _firstPages[list];

    /// <summary>First page of a list's codes, from 0; <see cref="CodePages"/> for the list after the last one.</summary>
    public uint FirstCodePage(int list) => _firstCodePages[list];

    /// <summary>Internal id of a list's first row.</summary>
    public uint FirstId(int list) => _firstPages[list] * (uint)_vectorsPerPage;

    /// <summary>Vectors of a page, numbered from 0.</summary>
    public int VectorsOf(uint page) => ItemsOf(page, _firstPages, _vectorsPerPage, out _);

    /// <summary>Codes of a page, numbered from 0, and the internal id of the first code's vector.</summary>
    public int CodesOf(uint page, out uint firstId)
    {
        int items = ItemsOf(page, _firstCodePages, _codesPerPage, out int list);
        firstId = FirstId(list) + ((page - _firstCodePages[list]) * (uint)_codesPerPage);
        return items;
    }

    private int ItemsOf(uint page, uint[] firstPages, int perPage, out int list)
    {
        // No list is empty, so every list begins with another page.
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
