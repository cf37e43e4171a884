using VectorPipe.Building.Clusters;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Model;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building.Ivf;

/// <summary>Links the centroids, and lays out the lists.</summary>
/// <param name="shape">What is built.</param>
/// <param name="work">What the phases hand on.</param>
/// <param name="seed">Seed of every random choice.</param>
internal sealed class IvfCentroidPhase(IvfBuildSize shape, IvfWork work, ulong seed) : WorkPhase
{
    /// <inheritdoc/>
    public override string Name => "lists: centroids";

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long held = shape.QuantizerBytes + shape.Vectors.PositionBytes + shape.TreeBytes + shape.Largest.StreamLength + GraphBytes(threads);
        return new PhaseNeeds(held, shape.Vectors.RecordTableBytes, shape.PinnedBytes(threads));
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) => shape.Vectors.Seconds(shape.Plan.Lists, 0, 100, threads);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        LeafMap map = work.RequireMap();
        CentroidGraph graph = CentroidGraph.Build(map, shape.Metric, run.Threads, seed, run.CancellationToken);
        work.Centroids = graph;
        uint[] rows = new uint[map.Count];
        for (int list = 0; list < rows.Length; list++)
            rows[list] = (uint)map.Size(list);
        var directory = new IvfDirectory(rows, shape.Layout.NodesPerPage, shape.IsCoded ? IvfShape.CodesPerPage(shape.CodeBytes) : 0);
        var schema = new IndexSchema
        {
            Metric = shape.Metric,
            ElementType = shape.Type,
            Dimension = shape.Dimension,
            Count = shape.Count,
            MaxDegree = graph.Degree,
            CodeBytes = shape.CodeBytes,
            Code = work.Quantizer?.Kind ?? CodeKind.Pq,
            EntryPoint = 0,
            BuildListSize = 0,
            Alpha = 0,
            Seed = seed,
            MeanDegree = 0,
            Lists =
            new IvfShape(map.Count, directory.Pages, shape.Plan.PageSize, shape.Components, graph.Degree, graph.Entry, shape.IsCoded)
            {
                Stored = shape.IsRounded ? shape.Stored : null,
            },
        };
        work.Directory = directory;
        work.Schema = schema;
        work.IndexId = FileIds.OfIndex(IvfContent.Hash(schema, work.PointsHash, work.Quantizer, map, graph), run.Target.Generation);
    }

    // The graph over the centroids is built in memory, of a table of its own.
    private long GraphBytes(int threads)
    {
        var size = new GraphSize(
            new BuildSize(
                DistanceMetric.L2, VectorElementType.Float32, shape.Components,
                shape.Largest.Lists), CentroidGraph.MaxDegree, new PartitionedOptions());
        var work = new GraphWork(new GraphParameters(CentroidGraph.MaxDegree, ListSize: 0, Alpha: 0, threads, seed), size.Options);
        return new PhasePlanner(
            PartitionedBuilder.Phases(size, work, isPaged: false), threads, budget: null).MemoryBytes - MachineModel.ProcessBytes;
    }
}
