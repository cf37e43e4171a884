using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Building.Codes;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.PagePhases;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Space;
using VectorPipe.Building.Writing;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model;
using VectorPipe.Model.Open;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Vectors;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>Builds the files of a small merged index, in memory or with room for a part of its tables.</summary>
internal sealed class MergedBuildHarness
{
    public const int Seed = 20280;

    private const int Count = 1500;
    private const int CodeBytes = 8;

    private static readonly PartitionedOptions _options = new()
    {
        LeafSize = 40,
        NearLeaves = 6,
        Probes = 3,
        NearCandidates = 24,
        LevelSamples = 16,
        LevelCandidates = 4,
        RefineExpansions = 4,
        RefineList = 32,
        RepairRounds = 1,
        CheckedPoints = 100,
        KeptNearest = AffinityRanker.Neighbours,
    };

    private readonly TestVectors _vectors;
    private readonly IndexFileSet _form;

    public MergedBuildHarness(VectorElementType type, int dimension, bool withRoom = false)
    {
        _vectors = TestVectors.Clustered(DistanceMetric.L2, type, dimension, Count, queries: 0, Seed);
        var merged = PageShapes.Of(type, dimension, Count, pageGraphBytesPerVector: 8, new PageOverrides { WithRoom = withRoom });
        _form = new IndexFileSet(
            merged, merged.CreateLayout(type, dimension), merged.Stored is null ? null : new OriginalVectorLayout(type, dimension));
    }

    /// <summary>Rows of a chunk that is packed at a time.</summary>
    public int ChunkRows { get; init; } = PageAssignment.ChunkRows;

    /// <summary>Bytes of the tables' blocks that a paged build has room for once the graph is made.</summary>
    public long PagedBytes { get; init; } = 90 * PagedMemory.BlockBytes;

    /// <summary>Receives the name of each phase that begins, in order: graph, pack, rank, write.</summary>
    public Action<string> OnPhase { get; init; } = _ => { };

    /// <summary>Bytes read from scratch files of tables in the last build.</summary>
    public long BytesRead { get; private set; }

    /// <summary>Builds in memory; returns the files.</summary>
    public Dictionary<string, byte[]> BuildInMemory(int threads)
    {
        using var folder = new TemporaryFolder();
        Build(folder, null, FileStorageIo.Instance, threads, CancellationToken.None);
        return Files(folder);
    }

    /// <summary>Builds with little room.</summary>
    /// <param name="threads">Worker threads.</param>
    /// <param name="io">Writes.</param>
    /// <param name="opener">Reads tables; null for a plain device.</param>
    /// <param name="scratch">Receives the names of scratch files that are left.</param>
    /// <param name="cancellationToken">Observed.</param>
    /// <returns>The files.</returns>
    public Dictionary<string, byte[]> BuildPaged(
        int threads, IStorageIo io, DeviceOpener? opener, out string[] scratch, CancellationToken cancellationToken = default)
    {
        using var folder = new TemporaryFolder();
        scratch = [];
        try
        {
            long all = 4000L * PagedMemory.BlockBytes;
            var memory = new PagedMemory(
                folder.Path, name => $"scratch-{name}", new DeviceOptions { Kind = DeviceKind.Portable }, io, NullLogger.Instance, opener);
            memory.SetCapacity(all);
            using var space = new BuildSpace(
                memory,
                purpose =>
                new ShufflePaths(Path.Combine(folder.Path, $"scratch-{purpose}"), Path.Combine(folder.Path, $"scratch-{purpose}-offsets")));
            Build(folder, space, io, threads, cancellationToken);
            BytesRead = memory.BytesRead;
        }
        finally
        {
            scratch = [.. folder.FileNames.Where(name => name.StartsWith("scratch-", StringComparison.Ordinal))];
        }

        return Files(folder);
    }

    private static Dictionary<string, byte[]> Files(TemporaryFolder folder) =>
        folder.FileNames.Where(name => !name.StartsWith("scratch-", StringComparison.Ordinal))
        .ToDictionary(name => name, name => File.ReadAllBytes(folder.File(name)));

    private void Build(TemporaryFolder folder, BuildSpace? space, IStorageIo io, int threads, CancellationToken cancellationToken)
    {
        OnPhase("graph");
        PagedMemory? paging = space?.Memory;
        PointTable points = _vectors.ToPointTable(paging);
        Quantizer quantizer = Train(points, paging, threads);
        using BuiltGraph graph = new PartitionedBuilder(_options, space).Build(
            points, new GraphParameters(
                MaxDegree: 16, ListSize: 30, Alpha: 1.2f, threads, Seed: 7), new GraphReport(), progress: null, cancellationToken);
        OnPhase("pack");
        space?.Enter(PagedBytes);
        graph.FreeVectors();
        int[] order =
            PageAssignment.Run(graph.Nearest!, paging, _form.Layout.Fill, Seed, threads, _ => { }, cancellationToken, ChunkRows);
        OnPhase("rank");
        int[] positionOf = IndexFilesWriter.PositionsOf(order);
        MergedGraph pages =
            new MergedGraph(_form.Layout, _form.Merged, graph, graph.Nearest!, order, positionOf, paging).WithFittedCode();
        var merger = new MergedFilesWriter(pages, _form.Originals, threads, _ => { }, cancellationToken);
        using ILinkRequests requests = merger.RankPages(space, new LinkRequestMemory(ShuffleBytes: 1 << 14, WindowBytes: 1 << 14));
        OnPhase("write");
        var writer = new IndexFilesWriter(folder.Path, 4711, 1, io);
        merger.Write(requests, writer, new CodeEncoder(quantizer, IndexFilesWriter.BatchRows, threads));
        writer.WriteKeys(merger.Keys(KeyDirectoryOptions.Default), cancellationToken);
    }

    private static Quantizer Train(PointTable points, PagedMemory? paging, int threads)
    {
        using PageLease lease = PageLease.Rent(paging);
        return CodeTrainer.Train(points, lease, CodeKind.Pq, CodeBytes, Seed, threads, CancellationToken.None);
    }
}
