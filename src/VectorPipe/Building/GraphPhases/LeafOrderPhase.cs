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

    // See docs/decisions.md#inner-product.
    private const float InnerProductAlphaExtra = 0.2f;

    // Leaves that drew far more points than others are split into further ones.
    private const int MostLeaves = 2;

    private long _shuffleBytes = MachineModel.LeastShuffleBytes;
    private bool _isPaged;

    public override string Name => "graph: order";

    public override long ScratchBytes =>
        _isPaged
        ? new ShuffleOptions(size.Vectors.RecordBytes, (int)(MostLeaves * size.Leaves), _shuffleBytes, size.Count).ExpectedFileBytes
        : 0;

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long shuffle = isPaged ? MachineModel.LeastShuffleBytes : 0;
        return new PhaseNeeds(size.HeldBytes(threads, positions: 2) + shuffle, size.TableBytes(0, isPaged), size.ScanBytes(threads));
    }

    public override long Grow(long? room, int threads)
    {
        if (room is null)
            return 0;
        _isPaged = true;
        long more = MachineModel.ShuffleGrowth(room, size.Count, size.Vectors.RecordBytes);
        _shuffleBytes += more;
        return more;
    }

    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 0.3, 0.3, threads);

    public override void Run(BuildRun run)
    {
        LeafMap map = work.Map!;
        PointTable points = work.RequirePoints();
        int entry = Array.IndexOf(map.Points, work.EntryPoint);
        var levels = new SampleLevels(map, entry, size.Options.LevelRate, work.Parameters.Seed);
        work.Order = LeafOrder.Of(points, map, levels, run.Space, _shuffleBytes, run.Threads, run.CancellationToken);
        work.Points = null;
        work.Context = new BuildContext(
            map, levels, work.Order.Vectors, entry, OptionsFor(points.Metric), work.Parameters with { Threads = run.Threads }, run.Paging,
            run.Progress, new Effort(), run.CancellationToken);
    }

    // The largest inner products lie at the rim of the data, queries outside it: only long links lead searches there.
    private PartitionedOptions OptionsFor(DistanceMetric metric) => metric != DistanceMetric.InnerProduct ? size.Options : size.Options with
    {
        LevelCandidates = 2 * size.Options.LevelCandidates,
        LevelSamples = Math.Max(MinInnerProductSamples, size.Options.LevelSamples),
        RefineAlphaExtra = size.Options.RefineAlphaExtra + InnerProductAlphaExtra,
    };
}
