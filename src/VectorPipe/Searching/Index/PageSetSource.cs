using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Searching.Index;

/// <summary>Pages of a file of an index in a known order, verified as searches verify them.</summary>
internal sealed unsafe class PageSetSource : IReadSource
{
    private readonly PageSet _set;
    private readonly IEnumerator<uint> _pages;
    private readonly string _purpose;

    /// <param name="set">The file's pages.</param>
    /// <param name="pages">Numbers of the pages to read; they are the states of the buffers.</param>
    /// <param name="purpose">Why they are read, for errors: "loading the index into memory".</param>
    public PageSetSource(PageSet set, IEnumerable<uint> pages, string purpose)
    {
        _set = set;
        _pages = pages.GetEnumerator();
        _purpose = purpose;
    }

    public ReadStep Next(out ReadRange range)
    {
        range = default;
        if (!_pages.MoveNext())
            return ReadStep.End;
        range = new ReadRange(_set.File, _set.OffsetOf(_pages.Current), _set.PageSize, _pages.Current);
        return ReadStep.Read;
    }

    public void Verify(in ReadBuffer buffer) => _set.Verify((uint)buffer.State, buffer.Pointer);

    public Exception Explain(in ReadRange range, Exception error) =>
        new DeviceException($"{_set.Path}, page {range.State + 1}: {_purpose} failed: {error.Message}", error);
}
