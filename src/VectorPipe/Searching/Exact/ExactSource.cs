using VectorPipe.Pipeline.Streams;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Exact;

/// <summary>The pages that hold every vector once, original if possible, round and round as far as queries need them.</summary>
internal sealed unsafe class ExactSource(SearchIndex index) : IReadSource
{
    private readonly int _file = index.Vectors is null ? SearchIndex.NodesFile : index.VectorsFile;
    private long _next;

    public int PageSize { get; } = index.Vectors?.PageSize ?? index.Layout.PageSize;

    public long PageCount { get; } = index.Vectors is { } vectors ? vectors.PageCount(index.Schema.Count) - 1 : index.NodePages;

    /// <summary>The page, counted on from round to round, before which the source pauses.</summary>
    public long End { get; set; }

    /// <summary>Whether a query needs a page that was not read.</summary>
    public bool HasMore => _next < End;

    public void Restart() => _next = End = 0;

    public ReadStep Next(out ReadRange range)
    {
        range = default;
        if (!HasMore)
            return ReadStep.Pause;
        long page = 1 + _next++ % PageCount;
        range = new ReadRange(_file, page * PageSize, PageSize, page);
        return ReadStep.Read;
    }

    public void Verify(in ReadBuffer buffer)
    {
        if (_file == SearchIndex.NodesFile)
            index.Verify((uint)(buffer.State - 1), buffer.Pointer);
        else
            index.VerifyVectors(buffer.State, buffer.Bytes);
    }

    public Exception Explain(in ReadRange range, Exception error) =>
        new DeviceException(
            $"{(_file == SearchIndex.NodesFile ? index.NodePath : index.VectorsPath)}, page {range.State}: {error.Message}", error);
}
