using VectorPipe.Building.Codes;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Writing;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.PagePhases;

/// <summary>Writes pages, page graph, codes, code book, and original vectors where pages round them.</summary>
internal sealed class WritePhase(MergedSize size, MergedWork work) : WorkPhase
{
    // In-degrees are skewed: a partition, and one of a few parts, may have this many times the average of reverse neighbours.
    private const int MostReverse = 2;
    private const double MostReverseOfPart = 1.25;

    private const long LeastWindow = MachineModel.MiB;
    private const long MostWindow = 32 * MachineModel.MiB;

    // Most of the free memory goes to the rows that pages are made of.
    private const int WindowShare = 8;

    // Bytes of a node while pages are made from tables in memory, beside link requests.
    private const int NodeBytes = 30;

    private bool _isPaged;
    private long _window = LeastWindow;

    public override string Name => "write";

    public override long ScratchBytes
    {
        get
        {
            if (!_isPaged)
                return 0;
            int pagesOfPartition = Math.Max(1, ShuffledLinkRequests.PartitionNodes / size.Shape.Fill);

            // A node requests at most one link from a page.
            long requests = size.Count * Math.Min(size.RequestsOfNode, ((size.Count - 1) / size.Shape.Fill) + 1);
            long reverseOfAll = size.Count * (size.Graph.MaxDegree + AffinityRanker.Neighbours);
            long reverse = (long)(MostReverseOfPart * reverseOfAll / ShuffledLinkRequests.Parts);
            return Shuffled(requests, ShuffledLinkRequest.Bytes, (long)pagesOfPartition * size.Shape.Fill)
                + Shuffled(reverse, ShuffledReverseNeighbour.Bytes, ShuffledLinkRequests.Parts * ShuffledReverseNeighbours.PartitionNodes);
        }
    }

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        GraphSize graph = size.Graph;
        long held = 3 * graph.Vectors.PositionBytes;
        held += isPaged
            ? WriteBytes(threads, LeastWindow)
            : (graph.Count * (NodeBytes + (size.RequestsOfNode * sizeof(uint)))) + (threads * MachineModel.ThreadBytes);
        return new PhaseNeeds(held, graph.PageTableBytes, size.PinnedBytes(threads));
    }

    public override long Grow(long? room, int threads)
    {
        if (room is not { } bytes)
            return 0;
        _isPaged = true;
        _window = Math.Clamp(bytes / WindowShare, LeastWindow, MostWindow);
        return WriteBytes(threads, _window) - WriteBytes(threads, LeastWindow);
    }

    public override double Seconds(int threads) => size.Graph.Vectors.Seconds(size.Count, 20, 2, threads);

    public override void Run(BuildRun run)
    {
        BuiltGraph graph = work.RequireGraph();
        BuildTarget target = run.Target;
        int[] order = work.PageOrder;
        Quantizer quantizer = work.Quantizer!;
        IndexSchema schema = Schema(graph, quantizer, order);
        ulong content = IndexContent.Hash(schema, work.PointsHash, quantizer, graph, order, run.Paging, run.CancellationToken);
        work.IndexId = FileIds.OfIndex(content, target.Generation);
        MergedGraph pages = new MergedGraph(
            work.Form.Layout, work.Form.Merged, graph, graph.Nearest!, order, IndexFilesWriter.PositionsOf(order), run.Paging)
            .WithFittedCode();
        work.Schema = schema with { Merged = pages.Shape };
        work.Writer = new MergedFilesWriter(
            pages, work.Form.Originals, run.Threads, done => run.Report(this, done, order.Length), run.CancellationToken);
        var writer = new IndexFilesWriter(target.Directory, work.IndexId, target.Generation, target.Io);
        using ILinkRequests requests = work.Writer.RankPages(run.Space, Memory);
        work.Files.AddRange(work.Writer.Write(requests, writer, new CodeEncoder(quantizer, IndexFilesWriter.BatchRows, run.Threads)));
        work.Files.Add(writer.WriteCodeBook(quantizer));
    }

    private IndexSchema Schema(BuiltGraph graph, Quantizer quantizer, int[] order)
    {
        BuildSize vectors = size.Graph.Vectors;
        return new IndexSchema
        {
            Metric = vectors.Metric,
            ElementType = vectors.Type,
            Dimension = vectors.Dimension,
            Count = vectors.Count,
            MaxDegree = work.Parameters.MaxDegree,
            CodeBytes = quantizer.CodeBytes,
            Code = quantizer.Kind,
            EntryPoint = work.Form.Merged.IdOf(Array.IndexOf(order, graph.Entry)),
            BuildListSize = work.Parameters.ListSize,
            Alpha = work.Parameters.Alpha,
            Seed = work.Parameters.Seed,
            MeanDegree = (float)work.Report.MeanDegree,
            Merged = work.Form.Merged,
        };
    }

    private LinkRequestMemory Memory => new(ShuffleBytes, _window);

    // Half of the memory of keys in the next phase.
    private long ShuffleBytes =>
        Math.Clamp(MachineModel.KeyBytes / 2 * size.Count, MachineModel.LeastShuffleBytes, MachineModel.MostShuffleBytes);

    private long WriteBytes(int threads, long window)
    {
        // Each thread reads three tables, and so does the one that loads pages ahead.
        long readers = (threads + 1) * 3L * BlockReader.MemoryBytes;
        long rankedBytes = ShuffledLinkRequest.Bytes + (2 * sizeof(uint));
        long ranked = threads * (long)ShuffledLinkRequests.BlockNodes * size.RequestsOfNode * rankedBytes;
        long partition = MostReverse * (size.Graph.MaxDegree + AffinityRanker.Neighbours) * (long)ShuffledReverseNeighbour.Bytes
            * Math.Min(size.Count, ShuffledReverseNeighbours.PartitionNodes);
        long reverse = (Math.Max(window, threads * partition) * ShuffledReverseNeighbour.HeldBytes / ShuffledReverseNeighbour.Bytes)
            + (threads * 2L * ScratchReader.MemoryBytes);
        long rank = ShuffleBytes + ranked + reverse + (4L * ScratchWriter.MemoryBytes);
        long batch = MergedFilesWriter.BatchBytes(size.Shape.PageSize + size.Shape.PageGraphBytes);
        long encoded = IndexFilesWriter.BatchRows * 4L * (size.Graph.Form.Components + 1);
        long compose = (long)(window * LinkRequestMemory.HeldOfWindow) + (2L * ScratchReader.MemoryBytes) + batch + encoded;
        return MachineModel.WriterBytes + readers + Math.Max(rank, compose);
    }

    // Rows, and where each partition ends in every group of them.
    private long Shuffled(long rows, int rowBytes, long nodesOfPartition)
    {
        long partitions = ((size.Count - 1) / nodesOfPartition) + 1;
        long groups = ((rows - 1) / new ShuffleOptions(rowBytes, 1, Memory.GroupBytes).RowsPerGroup) + 1;
        return ScratchFormat.FileLength(rows * rowBytes) + ScratchFormat.FileLength(groups * partitions * sizeof(long));
    }
}
