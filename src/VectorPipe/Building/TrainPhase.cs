using VectorPipe.Building.Codes;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Diagnostics;
using VectorPipe.Model;
using VectorPipe.Quantization;

namespace VectorPipe.Building;

/// <summary>Trains the quantizer, see <see cref="CodeTrainer"/>.</summary>
/// <param name="size">The vectors.</param>
/// <param name="work">What the phases hand on.</param>
/// <param name="code">The kind of codes that was asked for.</param>
/// <param name="codeBytes">Bytes of a code.</param>
/// <param name="seed">Seed of the sample and of the training.</param>
internal sealed class TrainPhase(BuildSize size, BuildWork work, CodeKind code, int codeBytes, ulong seed) : WorkPhase
{
    // Points that the quantizer is trained on at most.
    private const int TrainingRows = 65_536;

    // Learning a rotation as well: 3 times as long for 128 components of 32 bytes, 4 times for 384.
    private const double RotationFactor = 4;

    private CodeKind Trained => CodeTrainer.KindFor(code, size.Dimension);

    /// <inheritdoc/>
    public override string Name => "train";

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long bytes = CodeTrainer.MemoryBytes(size.Count, size.Dimension, codeBytes, threads, Trained);
        return new PhaseNeeds(bytes, size.RecordTableBytes, BuildSize.ScanBytes(1)) { LeftBytes = bytes };
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) =>
        size.Seconds(Math.Min(size.Count, TrainingRows), 5, 25, threads) * (Trained == CodeKind.Opq ? RotationFactor : 1);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        PointTable points = work.RequirePoints();
        using PageLease lease = PageLease.Rent(run.Paging);
        work.Quantizer = CodeTrainer.Train(points, lease, code, codeBytes, seed, run.Threads, run.CancellationToken);
        if (work.Quantizer.Kind != code)
            BuildLog.CodeWithoutRotation(run.Target.Logger, size.Dimension, Rotation.MaxDimension);
    }
}
