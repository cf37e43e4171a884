using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Finds the entry point and divides the points into leaves.</summary>
internal sealed class PartitionPhase(GraphSize size, GraphWork work) : WorkPhase
{
    public override string Name => "graph: partition";

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        // The vectors of the sample are freed before a leaf is split, their numbers when they are collected.
        long sampleRows = CentroidTrainer.SampleRows(size.Count, size.Leaves);
        long splitRows = Math.Min(size.Count, LeafSplitter.MostRows(size.Options.LeafSize));
        long sampled =
            (Math.Max(sampleRows, splitRows) * (size.Stride + size.RowNumberBytes)) + ((sampleRows + splitRows) * 2 * sizeof(int));
        long held = (threads * MachineModel.ThreadBytes) + size.CentroidBytes + sampled + (3 * size.Vectors.PositionBytes);
        return new PhaseNeeds(held, size.Vectors.RecordTableBytes, size.ScanBytes(threads)) { LeftBytes = sampled };
    }

    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 2, 3, threads);

    public override void Run(BuildRun run)
    {
        PointTable points = work.RequirePoints();
        work.EntryPoint = Medoid.Find(points, run.Paging, run.Threads, run.CancellationToken);
        work.Map = Partitioner.Run(
            points, size.Options.LeafSize, work.Parameters with { Threads = run.Threads }, run.Paging, run.Progress, run.CancellationToken);
    }
}
