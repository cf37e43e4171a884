using VectorPipe.Building.Clusters;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.Ivf;

/// <summary>Shuffles the vectors into the order of their lists.</summary>
internal sealed class IvfShufflePhase(IvfBuildSize shape, IvfWork work) : WorkPhase
{
    private const long MostShuffleBytes = 64 * MachineModel.MiB;

    private long _shuffleBytes = LeastShuffleBytes(shape);

    public override string Name => "shuffle";

    public override long ScratchBytes =>
        new ShuffleOptions(shape.Vectors.RecordBytes, shape.Largest.Lists, _shuffleBytes, shape.Count).ExpectedFileBytes;

    /// <summary>The scratch files, which the next phase reads and deletes.</summary>
    public static ShufflePaths Paths(BuildTarget target) => ShufflePaths.OfBuild(target.Directory, target.Generation, "lists");

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long held = shape.QuantizerBytes + (2 * shape.Vectors.PositionBytes) + shape.TreeBytes + shape.Largest.StreamLength;
        held += (shape.Largest.Lists * 2L * sizeof(long)) + (2L * ScratchWriter.MemoryBytes) + LeastShuffleBytes(shape);
        return new PhaseNeeds(held, shape.Vectors.RecordTableBytes, shape.PinnedBytes(threads));
    }

    public override long Grow(long? room, int threads)
    {
        long most = Math.Max(_shuffleBytes, Math.Min(MostShuffleBytes, AllBytes(shape)));
        long more = Math.Min(room ?? long.MaxValue, most - _shuffleBytes);
        _shuffleBytes += more;
        return more;
    }

    public override double Seconds(int threads) => shape.Vectors.Seconds(shape.Count, 0.3, 0.5);

    public override void Run(BuildRun run)
    {
        work.Shuffled = LeafOrder.Shuffle(
            work.RequirePoints(), work.RequireMap(), run.Paging, _shuffleBytes, Paths(run.Target), run.Target.Io, run.Shuffles,
            done => run.Report(this, done, shape.Count), run.CancellationToken);

        // Later phases read the shuffled files.
        work.Release();
    }

    private static long LeastShuffleBytes(IvfBuildSize shape) => Math.Min(MachineModel.LeastShuffleBytes, AllBytes(shape));

    private static long AllBytes(IvfBuildSize shape) => shape.Count * (shape.Vectors.RecordBytes + ShuffleOptions.BookkeepingBytes);
}
