using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.Ivf;

/// <summary>Divides the vectors into lists by balanced k-means.</summary>
internal sealed class IvfDividePhase(IvfBuildSize shape, IvfWork work, ulong seed) : WorkPhase
{
    public override string Name => "lists: divide";

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        // The vectors of the sample are freed before a list is split, their numbers when they are collected.
        long sampleRows = CentroidTrainer.SampleRows(shape.Count, shape.Plan.Lists);
        long splitRows = Math.Min(shape.Count, LeafSplitter.MostRows(shape.Plan.RowsOf(shape.Count)));
        long sampled = (Math.Max(sampleRows, splitRows) * shape.RowBytes) + ((sampleRows + splitRows) * 3 * sizeof(int));
        long held =
            (threads * MachineModel.ThreadBytes) + shape.QuantizerBytes + (3 * shape.Vectors.PositionBytes) + shape.TreeBytes + sampled;
        return new PhaseNeeds(held, shape.Vectors.RecordTableBytes, shape.PinnedBytes(threads));
    }

    public override double Seconds(int threads) => shape.Vectors.Seconds(shape.Count, 2, 3, threads);

    public override void Run(BuildRun run)
    {
        // A division uses threads and seed only.
        var parameters = new GraphParameters(MaxDegree: 0, ListSize: 0, Alpha: 0, run.Threads, seed);
        work.Map = Partitioner.Run(
            work.RequirePoints(), shape.Plan.RowsOf(shape.Count), parameters, run.Paging, run.Progress, run.CancellationToken);
    }
}
