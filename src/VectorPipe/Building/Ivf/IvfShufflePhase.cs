using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.Ivf;

/// <summary>Brings the vectors into the order of their lists, by way of scratch files.</summary>
internal sealed class IvfShufflePhase(IvfBuildSize shape, IvfWork work) : WorkPhase
{
    private long _shuffleBytes = LeastShuffleBytes(shape);

    /// <inheritdoc/>
    public override string Name => "shuffle";

    /// <summary>Bytes of the shuffled rows and of their offsets.</summary>
    public override long ScratchBytes =>
        new ShuffleOptions(shape.Vectors.RecordBytes, shape.Largest.Lists, _shuffleBytes, shape.Count).ExpectedFileBytes;

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long held = shape.QuantizerBytes + (2 * shape.Vectors.PositionBytes) + shape.TreeBytes + shape.Largest.StreamLength;
        held += (shape.Largest.Lists * 2L * sizeof(long)) + (2L * ScratchWriter.MemoryBytes) + LeastShuffleBytes(shape);
        return new PhaseNeeds(held, shape.Vectors.RecordTableBytes, shape.PinnedBytes(threads));
    }

    /// <inheritdoc/>
    public override long Grow(long? room, int threads)
    {
        long most = Math.Max(_shuffleBytes, Math.Min(IvfFilesWriter.ShuffleBytes, AllBytes(shape)));
        long more = Math.Min(room ?? long.MaxValue, most - _shuffleBytes);
        _shuffleBytes += more;
        return more;
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) => shape.Vectors.Seconds(shape.Count, 0.3, 0.5);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        var writer = new IvfFilesWriter(run.Target.Directory, work.IndexId, run.Target.Generation, run.Target.Io, run.Target.Logger);
        work.Shuffled = writer.Shuffle(
            work.RequirePoints(), work.RequireMap(), run.Paging, _shuffleBytes, done =>
            run.Report(this, done, shape.Count), run.CancellationToken);
        work.ShuffledBytes = work.Shuffled.RowCount * work.Shuffled.RowBytes;

        // From here on rows come from the shuffled files.
        work.Release();
    }

    private static long LeastShuffleBytes(IvfBuildSize shape) => Math.Min(MachineModel.LeastShuffleBytes, AllBytes(shape));

    private static long AllBytes(IvfBuildSize shape) => shape.Count * (shape.Vectors.RecordBytes + ShuffleOptions.BookkeepingBytes);
}
