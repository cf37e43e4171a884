using VectorPipe.Pipeline.Streams;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Exact;

/// <summary>The pages that hold every vector once, original if possible, round and round as far as queries need them.</summary>
internal sealed unsafe class ExactSource : IReadSource
{
    private readonly SearchIndex _index;
    private readonly int _file;
    private long _next;

    public ExactSource(SearchIndex index)
    {
        _index = index;
        _file = index.Vectors is null ? SearchIndex.NodesFile : index.VectorsFile;
        PageSize = index.Vectors?.PageSize ?? index.Layout.PageSize;
        PageCount = index.Vectors is { } vectors ? vectors.PageCount(index.Schema.Count) - 1 : index.NodePages;
    }

    public int PageSize { get; }

    /// <summary>Pages of a round.</summary>
    public long PageCount { get; }

    /// <summary>The page, counted on from round to round, before which the source pauses.</summary>
    public long End { get; set; }

    /// <summary>Whether a query needs a page that was not read.</summary>
    public bool HasMore => _next < End;

    /// <summary>Begins with the first page again.</summary>
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
            _index.Verify((uint)(buffer.State - 1), buffer.Pointer);
        else
            _index.VerifyVectors(buffer.State, buffer.Bytes);
    }

    public Exception Explain(in ReadRange range, Exception error) =>
        new DeviceException(
            $"{(_file == SearchIndex.NodesFile ? _index.NodePath : _index.VectorsPath)}, page {range.State}: {error.Message}", error);
}
