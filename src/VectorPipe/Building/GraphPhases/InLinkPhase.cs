using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Shuffles the links of a paged table into the order of their targets.</summary>
internal sealed class InLinkPhase(GraphSize size, GraphWork work) : WorkPhase
{
    private long _shuffleBytes = MachineModel.LeastShuffleBytes;

    public override string Name => "graph: in-links";

    public override long ScratchBytes
    {
        get
        {
            int ranges = (int)((size.Count - 1) / ShuffledInLinks.RangeRows) + 1;
            return new ShuffleOptions(ShuffledInLinks.LinkBytes, ranges, _shuffleBytes, size.Count * size.MaxDegree).ExpectedFileBytes;
        }
    }

    public override PhaseNeeds Needs(int threads, bool isPaged) => new(
        size.HeldBytes(threads, positions: 2) + (HubFilter.BytesPerPoint * size.Count) + MachineModel.LeastShuffleBytes,
        size.TableBytes(2, isPaged),
        size.ScanBytes(threads));

    public override long Grow(long? room, int threads)
    {
        long more = MachineModel.ShuffleGrowth(room, size.Count * size.MaxDegree, ShuffledInLinks.LinkBytes);
        _shuffleBytes += more;
        return more;
    }

    public override double Seconds(int threads) => size.Vectors.Seconds((double)size.Count * size.MaxDegree, 0.02, 0);

    public override void Run(BuildRun run) =>
        work.InLinks = ShuffledInLinks.Of(work.Links!, size.Options.HubLinks, _shuffleBytes, run.Space!, run.CancellationToken);
}
