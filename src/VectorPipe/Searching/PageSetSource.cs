using VectorPipe.Devices;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Searching;

/// <summary>Node pages in an order that is known, verified as searches verify them.</summary>
internal sealed unsafe class NodePageSource : IReadSource
{
    private readonly SearchIndex _index;
    private readonly IEnumerator<uint> _pages;
    private readonly string _purpose;

    /// <param name="index">The index.</param>
    /// <param name="pages">The pages, from 0; they come back as the buffers' states.</param>
    /// <param name="purpose">What they are read for, for errors: "loading the index into memory".</param>
    public NodePageSource(SearchIndex index, IEnumerable<uint> pages, string purpose)
    {
        _index = index;
        _pages = pages.GetEnumerator();
        _purpose = purpose;
    }

    /// <inheritdoc/>
    public ReadStep Next(out ReadRange range)
    {
        range = default;
        if (!_pages.MoveNext())
            return ReadStep.End;
        range = new ReadRange(SearchIndex.NodesFile, _index.PageOffset(_pages.Current), _index.Layout.PageSize, _pages.Current);
        return ReadStep.Read;
    }

    /// <inheritdoc/>
    public void Verify(in ReadBuffer buffer) => _index.Verify((uint)buffer.State, buffer.Pointer);

    /// <inheritdoc/>
    public Exception Explain(in ReadRange range, Exception error) =>
        new DeviceException($"{_index.NodePath}, page {range.State + 1}: {_purpose} failed: {error.Message}", error);
}
