using VectorPipe.Building.Clusters;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Model;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building.Ivf;

/// <summary>Links the centroids and lays out the lists.</summary>
internal sealed class IvfCentroidPhase(IvfBuildSize shape, IvfWork work, ulong seed) : WorkPhase
{
    public override string Name => "lists: centroids";

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long held = shape.QuantizerBytes + shape.Vectors.PositionBytes + shape.TreeBytes + shape.Largest.StreamLength + GraphBytes(threads);
        return new PhaseNeeds(held, shape.Vectors.RecordTableBytes, shape.PinnedBytes(threads));
    }

    public override double Seconds(int threads) => shape.Vectors.Seconds(shape.Plan.Lists, 0, 100, threads);

    public override void Run(BuildRun run)
    {
        LeafMap map = work.RequireMap();
        CentroidGraph graph = CentroidGraph.Build(map, shape.Vectors.Metric, run.Threads, seed, run.CancellationToken);
        work.Centroids = graph;
        uint[] rows = new uint[map.Count];
        for (int list = 0; list < rows.Length; list++)
            rows[list] = (uint)map.Size(list);
        BuildSize vectors = shape.Vectors;
        work.Directory = new IvfDirectory(rows, shape.Layout.NodesPerPage, shape.IsCoded ? IvfShape.CodesPerPage(shape.CodeBytes) : 0);
        var lists = new IvfShape(
            map.Count, work.Directory.Pages, shape.Plan.PageSize, shape.Components, graph.Degree, graph.Entry, shape.IsCoded)
        {
            Stored = shape.IsRounded ? shape.Stored : null,
        };
        work.Schema = new IndexSchema
        {
            Metric = vectors.Metric,
            ElementType = vectors.Type,
            Dimension = vectors.Dimension,
            Count = vectors.Count,
            MaxDegree = graph.Degree,
            CodeBytes = shape.CodeBytes,
            Code = work.Quantizer?.Kind ?? CodeKind.Pq,
            EntryPoint = 0,
            BuildListSize = 0,
            Alpha = 0,
            Seed = seed,
            MeanDegree = 0,
            Lists = lists,
        };
        work.IndexId = FileIds.OfIndex(HashContent(map, graph), run.Target.Generation);
    }

    private unsafe ulong HashContent(LeafMap map, CentroidGraph graph)
    {
        ContentHash hash = IndexContent.Begin(work.Schema!, work.PointsHash, work.Quantizer);
        hash.AddAll<int>(map.Offsets);
        hash.AddAll<int>(map.Points);
        hash.AddAll(graph.Centroids.Pointer, graph.Centroids.Length);
        hash.AddAll(graph.Links.Pointer, graph.Links.Length);
        return hash.Value;
    }

    // The graph over the centroids is built in memory, from a table of its own.
    private long GraphBytes(int threads)
    {
        var centroids = new BuildSize(DistanceMetric.L2, VectorElementType.Float32, shape.Components, shape.Largest.Lists);
        var size = new GraphSize(centroids, CentroidGraph.MaxDegree, new PartitionedOptions());
        var parameters = new GraphParameters(CentroidGraph.MaxDegree, ListSize: 0, Alpha: 0, threads, seed);
        IReadOnlyList<Phase> phases = PartitionedBuilder.Phases(size, new GraphWork(parameters, size.Options), isPaged: false);
        return new PhasePlanner(phases, threads, budget: null).MemoryBytes - MachineModel.ProcessBytes;
    }
}
