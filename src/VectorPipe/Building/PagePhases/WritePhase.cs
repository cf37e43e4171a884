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

/// <summary>Writes pages, page graph, codes and code book, and the original vectors if pages hold them rounded.</summary>
internal sealed class WritePhase(MergedSize size, MergedWork work) : WorkPhase
{
    // Of a partition's nodes some are known to far more others than most.
    private const int MostTies = 2;

    private const long LeastWindow = MachineModel.MiB;
    private const long MostWindow = 32 * MachineModel.MiB;

    // Most of the memory that is left is for the rows that pages are made of.
    private const int WindowShare = 8;

    // Bytes a node in memory while pages are made from tables that are in memory, beside link requests.
    private const int NodeBytes = 30;

    private bool _isPaged;
    private long _window = LeastWindow;

    /// <inheritdoc/>
    public override string Name => "write";

    /// <inheritdoc/>
    public override long ScratchBytes
    {
        get
        {
            if (!_isPaged)
                return 0;
            int pagesOfPartition = Math.Max(1, ShuffledLinkRequests.PartitionNodes / size.Shape.Owned);

            // A node applies to a page once.
            long applications = size.Count * Math.Min(size.ApplicationsOfNode, ((size.Count - 1) / size.Shape.Owned) + 1);
            long ties = size.Count * (size.Graph.MaxDegree + AffinityRanker.Neighbours);
            return Shuffled(applications, ShuffledLinkRequest.Bytes, (long)pagesOfPartition * size.Shape.Owned)
                + Shuffled(ties, ShuffledReverseNeighbour.Bytes, ShuffledReverseNeighbours.PartitionNodes);
        }
    }

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        GraphSize graph = size.Graph;
        long held = 3 * graph.Vectors.PositionBytes;
        held += isPaged
            ? (graph.Count * graph.RowNumberBytes) + WriteBytes(threads, LeastWindow)
            : (graph.Count * (NodeBytes + (size.ApplicationsOfNode * sizeof(uint)))) + (threads * MachineModel.ThreadBytes);
        return new PhaseNeeds(held, graph.TableBytes(1, isPaged), size.PinnedBytes(threads));
    }

    /// <inheritdoc/>
    public override long Grow(long? room, int threads)
    {
        if (room is not { } bytes)
            return 0;
        _isPaged = true;
        _window = Math.Clamp(bytes / WindowShare, LeastWindow, MostWindow);
        return WriteBytes(threads, _window) - WriteBytes(threads, LeastWindow);
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) => size.Graph.Vectors.Seconds(size.Count, 20, 2, threads);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        BuiltGraph graph = work.RequireGraph();
        BuildTarget target = run.Target;
        int[] order = work.PageOrder;
        Quantizer quantizer = work.Quantizer!;
        IndexSchema schema = Schema(graph, quantizer, order);
        work.IndexId =
            FileIds.OfIndex(IndexContent.Hash(schema, work.PointsHash, quantizer, graph, order, run.CancellationToken), target.Generation);
        MergedGraph pages = new MergedGraph(
            work.Form.Layout, work.Form.Merged, graph, graph.Nearest!, order, IndexFilesWriter.IdsOf(order), run.Paging).WithFittedCode();
        work.Schema = schema with { Merged = pages.Shape };
        work.Writer =
            new MergedFilesWriter(pages, work.Form.Given, run.Threads, done => run.Report(this, done, order.Length), run.CancellationToken);
        var writer = new IndexFilesWriter(target.Directory, work.IndexId, target.Generation, target.Io);
        using ILinkRequests applications = work.Writer.Apply(run.Space, new LinkRequestMemory(ShuffleBytes, _window));
        work.Files.AddRange(work.Writer.Write(applications, writer, new CodeEncoder(quantizer, IndexFilesWriter.BatchRows, run.Threads)));
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
            EntryPoint = Array.IndexOf(order, graph.Entry),
            BuildListSize = work.Parameters.ListSize,
            Alpha = work.Parameters.Alpha,
            Seed = work.Parameters.Seed,
            MeanDegree = (float)work.Report.MeanDegree,
            Merged = work.Form.Merged,
        };
    }

    // Half of what the keys take later.
    private long ShuffleBytes =>
        Math.Clamp(MachineModel.KeyBytes / 2 * size.Count, MachineModel.LeastShuffleBytes, MachineModel.MostShuffleBytes);

    private long WriteBytes(int threads, long window)
    {
        // Each thread reads of three tables; so does the one that loads what they need.
        long readers = (threads + 1) * 3L * BlockReader.MemoryBytes;
        long ranked =
            threads * (long)ShuffledLinkRequests.BlockNodes * size.ApplicationsOfNode * (ShuffledLinkRequest.Bytes + (2 * sizeof(uint)));
        long partition = MostTies * (size.Graph.MaxDegree + AffinityRanker.Neighbours) * (long)ShuffledReverseNeighbour.Bytes * Math.Min(
            size.Count, ShuffledReverseNeighbours.PartitionNodes);
        long tied = (Math.Max(window, threads * partition) * ShuffledReverseNeighbour.HeldBytes / ShuffledReverseNeighbour.Bytes)
            + (threads * 2L * ScratchReader.MemoryBytes);
        long rank = ShuffleBytes + ranked + tied + (2L * ScratchWriter.MemoryBytes);
        long batch = MergedFilesWriter.BatchBytes(size.Shape.PageSize + size.Shape.PageGraphBytes);
        long encoded = IndexFilesWriter.BatchRows * 4L * (size.Graph.Form.Components + 1);
        long compose = (long)(window * LinkRequestMemory.HeldOfWindow) + (2L * ScratchReader.MemoryBytes) + batch + encoded;
        return MachineModel.WriterBytes + readers + Math.Max(rank, compose);
    }

    // The rows, and where each partition ends in every group of them.
    private long Shuffled(long rows, int rowBytes, long nodesOfPartition)
    {
        long partitions = ((size.Count - 1) / nodesOfPartition) + 1;
        long groups = ((rows - 1) / new ShuffleOptions(rowBytes, 1, ShuffleBytes).RowsPerGroup) + 1;
        return ScratchFormat.FileLength(rows * rowBytes) + ScratchFormat.FileLength(groups * partitions * sizeof(long));
    }
}
