using VectorPipe.Building.Clusters;
using VectorPipe.Building.Phases;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.Ivf;

/// <summary>Writes vectors, codes, lists and keys of shuffled rows.</summary>
/// <param name="shape">What is built.</param>
/// <param name="work">What the phases hand on.</param>
/// <param name="shuffle">The phase before, whose scratch files this one reads.</param>
/// <param name="keys">How the key directory is laid out.</param>
internal sealed class IvfWritePhase(IvfBuildSize shape, IvfWork work, IvfShufflePhase shuffle, KeyDirectoryOptions keys) : WorkPhase
{
    private long _windowBytes = LongestList(shape);

    /// <inheritdoc/>
    public override string Name => "write";

    /// <inheritdoc/>
    public override long ScratchBytes => shuffle.ScratchBytes;

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long held = (threads * MachineModel.ThreadBytes) + shape.QuantizerBytes + (MachineModel.KeyBytes * shape.Count)
            + shape.Largest.StreamLength;
        held += (shape.Largest.Lists * 6L * sizeof(long)) + (2L * ScratchReader.MemoryBytes) + MachineModel.WriterBytes
            + LongestList(shape);
        return new PhaseNeeds(held);
    }

    /// <inheritdoc/>
    public override long Grow(long? room, int threads)
    {
        long more = Math.Min(room ?? long.MaxValue, Math.Max(0, IvfFilesWriter.WindowBytes - _windowBytes));
        _windowBytes += more;
        return more;
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) => shape.Vectors.Seconds(shape.Count, 2, shape.IsCoded ? 2 : 1);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        var writer = new IvfFilesWriter(run.Target.Directory, work.IndexId, run.Target.Generation, run.Target.Io, run.Target.Logger);
        (FileEntry[] files, work.Keys) = writer.Write(
            work.Schema!,
            work.Directory!,
            work.Centroids!,
            work.Shuffled!,
            work.Quantizer,
            keys,
            run.Threads,
            _windowBytes,
            done => run.Report(this, done, shape.Count),
            run.CancellationToken);
        work.Files.AddRange(files);
    }

    // A list is read whole.
    private static long LongestList(IvfBuildSize shape) =>
        LeafSplitter.MaxSizes * (long)shape.Plan.RowsOf(shape.Count) * shape.Vectors.RecordBytes;
}
