using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Writing;
using VectorPipe.Model;
using VectorPipe.Quantization;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.PagePhases;

/// <summary>The size of a graph index, from which memory and time of its build follow.</summary>
internal sealed record MergedSize(GraphSize Graph, MergedPageLayout Shape, NodeLayout Layout, int CodeBytes, CodeKind Code)
{
    public long Count => Graph.Count;

    public int RequestsOfNode => MergedFilesWriter.RequestsOfNode(Layout, Count);

    /// <summary>Bytes that searches of the finished index hold: codes, code book and page graph.</summary>
    public long SearchBytes =>
        (Shape.IdCount(Count) * CodeBytes) + QuantizerFormat.ByteLength(Graph.Vectors.Dimension, CodeBytes, Code)
        + Shape.StreamLength(Layout.PageCount(Count));

    /// <summary>Bytes of blocks in use while pages are packed and written.</summary>
    public long PinnedBytes(int threads)
    {
        long nearest = PagedMemory.BlocksOf(Graph.NearestRowBytes), links = PagedMemory.BlocksOf((Graph.MaxDegree + 1L) * sizeof(int)),
            record = PagedMemory.BlocksOf(Graph.Vectors.RecordBytes);
        long rank = RankWorker.RowsTogether * (nearest + links);
        long compose = Math.Max(Math.Max(ReplicaChooser.RowsTogether * nearest, PageComposer.RowsTogether * record), nearest + links);
        long load = Math.Max(rank + (RankWorker.RowsTogether * record), IndexFilesWriter.BatchRows * record);
        return Math.Max(threads * Math.Max(rank, compose), load) * PagedMemory.BlockBytes;
    }
}
