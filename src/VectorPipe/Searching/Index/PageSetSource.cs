using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Searching.Index;

/// <summary>Pages of a file of an index in a known order, verified as searches verify them.</summary>
/// <param name="set">The file's pages.</param>
/// <param name="pages">Numbers of the pages to read; they are the states of the buffers.</param>
/// <param name="purpose">Why they are read, for errors: "loading the index into memory".</param>
internal sealed unsafe class PageSetSource(PageSet set, IEnumerable<uint> pages, string purpose) : IReadSource
{
    private readonly IEnumerator<uint> _pages = pages.GetEnumerator();

    public ReadStep Next(out ReadRange range)
    {
        range = default;
        if (!_pages.MoveNext())
            return ReadStep.End;
        range = new ReadRange(set.File, set.OffsetOf(_pages.Current), set.PageSize, _pages.Current);
        return ReadStep.Read;
    }

    public void Verify(in ReadBuffer buffer) => set.Verify((uint)buffer.State, buffer.Pointer);

    public Exception Explain(in ReadRange range, Exception error) =>
        new DeviceException($"{set.Path}, page {range.State + 1}: {purpose} failed: {error.Message}", error);
}
