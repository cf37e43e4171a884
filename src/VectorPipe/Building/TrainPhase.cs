using VectorPipe.Building.Codes;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Diagnostics;
using VectorPipe.Model;
using VectorPipe.Quantization;

namespace VectorPipe.Building;

/// <summary>Trains the quantizer, see <see cref="CodeTrainer"/>.</summary>
internal sealed class TrainPhase(BuildSize size, BuildWork work, CodeKind code, int codeBytes, ulong seed) : WorkPhase
{
    // Most points that the quantizer is trained on.
    private const int TrainingRows = 65_536;

    // Learning a rotation takes 3 times as long for 128 components of 32 bytes, 4 times for 384.
    private const double RotationFactor = 4;

    private CodeKind Trained => CodeTrainer.KindFor(code, size.Dimension);

    public override string Name => "train";

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long bytes = CodeTrainer.MemoryBytes(size.Count, size.Dimension, codeBytes, threads, Trained);
        return new PhaseNeeds(bytes, size.RecordTableBytes, BuildSize.ScanBytes(1)) { LeftBytes = bytes };
    }

    public override double Seconds(int threads) =>
        size.Seconds(Math.Min(size.Count, TrainingRows), 5, 25, threads) * (Trained == CodeKind.Opq ? RotationFactor : 1);

    public override void Run(BuildRun run)
    {
        PointTable points = work.RequirePoints();
        using PageLease lease = PageLease.Rent(run.Paging);
        work.Quantizer = CodeTrainer.Train(points, lease, code, codeBytes, seed, run.Threads, run.CancellationToken);
        if (work.Quantizer.Kind != code)
            BuildLog.CodeWithoutRotation(run.Target.Logger, size.Dimension, Rotation.MaxDimension);
    }
}
