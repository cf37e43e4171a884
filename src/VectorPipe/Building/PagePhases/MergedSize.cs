using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Writing;
using VectorPipe.Model;
using VectorPipe.Quantization;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.PagePhases;

/// <summary>An index of the merged layout, as far as memory and time of its build follow from it.</summary>
/// <param name="Graph">The graph.</param>
/// <param name="Shape">How a page is divided.</param>
/// <param name="Layout">Where things lie in a page.</param>
/// <param name="CodeBytes">Bytes of a code.</param>
/// <param name="Code">Kind of the codes.</param>
internal sealed record MergedSize(GraphSize Graph, MergedPageLayout Shape, NodeLayout Layout, int CodeBytes, CodeKind Code)
{
    /// <summary>Vectors.</summary>
    public long Count => Graph.Count;

    /// <summary>Applications of a node to pages, at most.</summary>
    public int ApplicationsOfNode => MergedFilesWriter.ApplicationsOfNode(Layout, Count);

    /// <summary>Bytes that searches of the finished index hold: codes, code book and page graph.</summary>
    public long SearchBytes =>
        (Count * CodeBytes) + QuantizerFormat.ByteLength(Graph.Vectors.Dimension, CodeBytes, Code)
        + Shape.StreamLength(Layout.PageCount(Count));

    /// <summary>Bytes of blocks in use at a time while pages are packed and written.</summary>
    /// <param name="threads">Worker threads.</param>
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
