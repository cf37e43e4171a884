using VectorPipe.Building.Codes;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Reference.Plain;

/// <summary>Writes nodes, codes, keys and code book in one pass.</summary>
internal sealed class PlainWritePhase(GraphSize size, PlainWork work, KeyDirectoryOptions keyDirectory) : WorkPhase
{
    // Per point: a key and its id, twice during the sort.
    private const int PointBytes = 30;

    public override string Name => "write";

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long held =
            (threads * MachineModel.ThreadBytes) + (size.Count * (size.RowNumberBytes + PointBytes)) + (3 * size.Vectors.PositionBytes);
        long blocks = PagedMemory.BlocksOf(size.Vectors.RecordBytes) + PagedMemory.BlocksOf((size.MaxDegree + 1L) * sizeof(int));
        long batch = IndexFilesWriter.BatchRows * blocks * PagedMemory.BlockBytes;
        return new PhaseNeeds(held, size.TableBytes(1, isPaged), batch);
    }

    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 2, 3);

    public override void Run(BuildRun run)
    {
        BuiltGraph graph = work.RequireGraph();
        Quantizer quantizer = work.Quantizer!;
        int[] order = work.PageOrder;
        work.Schema = Schema(graph, quantizer, order);
        ulong content = IndexContent.Hash(work.Schema, work.PointsHash, quantizer, graph, order, run.Paging, run.CancellationToken);
        work.IndexId = FileIds.OfIndex(content, run.Target.Generation);
        var writer = new IndexFilesWriter(run.Target.Directory, work.IndexId, run.Target.Generation, run.Target.Io);
        WriteGraph(writer, graph, order, new CodeEncoder(quantizer, IndexFilesWriter.BatchRows, run.Threads), run);
        work.Files.Add(writer.WriteCodeBook(quantizer));
        work.Release();
    }

    private void WriteGraph(IndexFilesWriter writer, BuiltGraph graph, int[] order, CodeEncoder encoder, BuildRun run)
    {
        int[] idOf = IndexFilesWriter.PositionsOf(order);
        var keys = new KeyDirectoryWriter<uint>(order.Length, keyDirectory);
        using PageLease lease = PageLease.Rent(run.Paging);
        using NodeFileWriter nodes = writer.BeginNodes(work.Layout, order.Length);
        using PagedStreamWriter codes = writer.BeginCodes((long)order.Length * encoder.CodeBytes);
        uint[] links = new uint[work.Layout.MaxListLength];
        for (int first = 0; first < order.Length; first += IndexFilesWriter.BatchRows)
        {
            run.CancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<int> rows = order.AsSpan(first, Math.Min(IndexFilesWriter.BatchRows, order.Length - first));
            lease.Begin();
            graph.Records.Ask(lease, rows);
            graph.Links.Ask(lease, rows);
            lease.Fetch();
            foreach (int row in rows)
            {
                ReadOnlySpan<int> neighbours = graph.Links.Links(row);
                for (int i = 0; i < neighbours.Length; i++)
                    links[i] = (uint)idOf[neighbours[i]];
                ulong key = graph.Records.Key(row);
                nodes.Add(key, graph.Records.Vector(row), links.AsSpan(0, neighbours.Length));
                keys.Add(key, (uint)idOf[row]);
            }

            codes.Write(encoder.Encode(graph.Records, rows, run.CancellationToken));
            run.Report(this, first + rows.Length, order.Length);
        }

        work.Files.Add(nodes.Complete());
        codes.Complete();
        work.Files.Add(codes.Entry);
        (FileEntry keyFile, work.Keys) = writer.WriteKeys(keys, run.CancellationToken);
        work.Files.Add(keyFile);
    }

    private IndexSchema Schema(BuiltGraph graph, Quantizer quantizer, int[] order) => new()
    {
        Metric = size.Vectors.Metric,
        ElementType = size.Vectors.Type,
        Dimension = size.Vectors.Dimension,
        Count = size.Count,
        MaxDegree = work.Parameters.MaxDegree,
        CodeBytes = quantizer.CodeBytes,
        Code = quantizer.Kind,
        EntryPoint = Array.IndexOf(order, graph.Entry),
        BuildListSize = work.Parameters.ListSize,
        Alpha = work.Parameters.Alpha,
        Seed = work.Parameters.Seed,
        MeanDegree = (float)work.Report.MeanDegree,
    };
}
