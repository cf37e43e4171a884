using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Brings the vectors into leaf order, in the form of the kernels.</summary>
internal sealed class LeafOrderPhase(GraphSize size, GraphWork work) : WorkPhase
{
    private const int MinInnerProductSamples = 512;

    // 200,000 x 64 of log-normal norms, recall@10 at L = 10 and 100, mean of three seeds with 0.1, 0.2 and 0.4: 62.6, 60.8, 59.7 and
    // 78.2, 77.1, 78.5 %: none is better within what seeds differ by.
    private const float InnerProductAlphaExtra = 0.2f;

    // Leaves that drew far more points than others are split.
    private const int MostLeaves = 2;

    private long _shuffleBytes = MachineModel.LeastShuffleBytes;
    private bool _isPaged;

    /// <inheritdoc/>
    public override string Name => "graph: order";

    /// <inheritdoc/>
    public override long ScratchBytes =>
        _isPaged ? new ShuffleOptions(
            size.Vectors.RecordBytes, (int)(MostLeaves * size.Leaves), _shuffleBytes, size.Count).ExpectedFileBytes : 0;

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long shuffle = isPaged ? MachineModel.LeastShuffleBytes : 0;
        return new PhaseNeeds(size.HeldBytes(threads, positions: 2) + shuffle, size.TableBytes(0, isPaged), size.ScanBytes(threads));
    }

    /// <inheritdoc/>
    public override long Grow(long? room, int threads)
    {
        if (room is null)
            return 0;
        _isPaged = true;
        long more = MachineModel.ShuffleGrowth(room, MachineModel.MostShuffleBytes);
        _shuffleBytes += more;
        return more;
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 0.3, 0.3, threads);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        LeafMap map = work.Map!;
        PointTable points = work.RequirePoints();
        int entry = Array.IndexOf(map.Points, work.EntryPoint);
        var levels = new SampleLevels(map, entry, size.Options.LevelRate, work.Parameters.Seed);
        work.Order = LeafOrder.Of(points, map, levels, run.Space, _shuffleBytes, run.Threads, run.CancellationToken);
        work.Points = null;
        work.Context = new BuildContext(
            map,
            levels,
            work.Order.Vectors,
            entry,
            OptionsFor(points.Metric),
            work.Parameters with { Threads = run.Threads },
            run.Paging,
            run.Progress,
            new Effort(),
            run.CancellationToken);
    }

    // The largest inner products lie at the rim of the data, and queries outside of it: searches get there by long links or not at all.
    private PartitionedOptions OptionsFor(DistanceMetric metric) => metric != DistanceMetric.InnerProduct ? size.Options : size.Options with
    {
        LevelCandidates = 2 * size.Options.LevelCandidates,
        LevelSamples = Math.Max(MinInnerProductSamples, size.Options.LevelSamples),
        RefineAlphaExtra = size.Options.RefineAlphaExtra + InnerProductAlphaExtra,
    };
}
