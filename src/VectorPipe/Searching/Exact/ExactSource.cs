using VectorPipe.Pipeline.Streams;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Searching.Exact;

/// <summary>The pages that hold every vector once, original if possible, round and round as far as queries need them.</summary>
internal sealed unsafe class ExactSource(SearchIndex index) : IReadSource
{
    private long _next;

    public int PageSize => Originals?.PageSize ?? index.Layout.PageSize;

    public long PageCount => Changes?.Pages ?? (Originals is { } vectors ? vectors.PageCount(index.Schema.Count) - 1 : index.NodePages);

    /// <summary>What checkpoints changed of the graph; null for nothing. Set it while nothing is read.</summary>
    public GraphChanges? Changes { get; set; }

    // The file of the original vectors knows none that were added since.
    private OriginalVectorLayout? Originals => Changes is null ? index.Vectors : null;

    private int File => Originals is null ? SearchIndex.NodesFile : index.VectorsFile;

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
        long offset = Changes is null ? page * PageSize : index.PageOffset((uint)page - 1, Changes);
        range = new ReadRange(File, offset, PageSize, page);
        return ReadStep.Read;
    }

    public void Verify(in ReadBuffer buffer)
    {
        if (File == SearchIndex.NodesFile)
            index.Verify((uint)(buffer.State - 1), buffer.Pointer, Changes);
        else
            index.VerifyVectors(buffer.State, buffer.Bytes);
    }

    public Exception Explain(in ReadRange range, Exception error) =>
        new DeviceException(
            $"{(File == SearchIndex.NodesFile ? index.NodePath : index.VectorsPath)}, page {range.State}: {error.Message}", error);
}
