using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Brings the links of a paged table into the order of their targets, by way of scratch files.</summary>
internal sealed class InLinkPhase(GraphSize size, GraphWork work) : WorkPhase
{
    private long _shuffleBytes = MachineModel.LeastShuffleBytes;

    /// <inheritdoc/>
    public override string Name => "graph: in-links";

    /// <inheritdoc/>
    public override long ScratchBytes => new ShuffleOptions(
        ShuffledInLinks.LinkBytes, (int)((size.Count - 1) / ShuffledInLinks.RangeRows)
        + 1, _shuffleBytes, size.Count * size.MaxDegree).ExpectedFileBytes;

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged) => new(
        size.HeldBytes(threads, positions: 2) + (HubFilter.BytesPerPoint * size.Count) + MachineModel.LeastShuffleBytes,
        size.TableBytes(2, isPaged),
        size.ScanBytes(threads));

    /// <inheritdoc/>
    public override long Grow(long? room, int threads)
    {
        long more = MachineModel.ShuffleGrowth(room, MachineModel.MostShuffleBytes);
        _shuffleBytes += more;
        return more;
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) => size.Vectors.Seconds((double)size.Count * size.MaxDegree, 0.02, 0);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        ShufflePaths paths = run.Space!.ShufflePaths("in-links");
        try
        {
            ShuffledLayout layout =
                ShuffledInLinks.Shuffle(work.Links!, size.Options.HubLinks, _shuffleBytes, run.Space, paths, run.CancellationToken);
            work.InLinks = new SortedInLinks(layout, paths, run.Space);
        }
        catch
        {
            paths.Delete(run.Space.Memory.Io);
            throw;
        }
    }
}
