using VectorPipe.Building;
using VectorPipe.Building.Ivf;
using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics;

namespace VectorPipe;

/// <summary>Computes what the build of an index of lists will take from the shape of the data.</summary>
internal static class ListBuildPlan
{
    // A float component takes about 2.3 times as long as a byte in the blocked kernels.
    private const double FloatFactor = 2.3;
    private const double UnitComponents = 128;
    private const double BytesReadPerSecond = 150e6;
    private const double BytesWrittenPerSecond = 400e6;
    private const int TrainingRows = 65_536;

    /// <summary>The plan.</summary>
    /// <param name="options">How to build; checked.</param>
    /// <param name="source">The vectors; asked for their number and shape alone.</param>
    /// <param name="plan">The lists.</param>
    /// <param name="codeBytes">Bytes of a code; 0 if there are none.</param>
    /// <param name="indexBytes">Bytes of the index, at most.</param>
    public static BuildPlan Of(BuildOptions options, VectorSource source, ListPlan plan, int codeBytes, long indexBytes)
    {
        long count = source.Count;
        VectorForm form = VectorForm.Of(options.Metric, source.ElementType, source.Dimension);
        long vectorBytes = source.Dimension * source.ElementType.SizeInBytes();
        long rowBytes = vectorBytes + sizeof(ulong);
        long rowForm = VectorTable.StrideOf(form) + VectorTable.NumberBytesOf(form);
        long points = count * rowBytes;
        long centroids = plan.Lists * (2 * rowForm + (source.Dimension + 1L + CentroidGraph.MaxDegree) * sizeof(float));

        // Leaf of a point, members of leaves, and the map.
        long map = 3 * count * sizeof(int);
        long sample = CentroidTrainer.SampleRows(count, plan.Lists) * rowForm;
        long shuffle = Math.Min(ListFilesWriter.ShuffleBytes, points) + (plan.Lists * 12L);
        long training = codeBytes > 0 ? CodeTrainer.MemoryBytes(count, source.Dimension, codeBytes, options.Threads, options.Code) : 0;
        double distance = form.Components / UnitComponents * (form.IsFloat ? FloatFactor : 1);
        double threads = Math.Min(options.Threads, Environment.ProcessorCount);
        List<BuildPlanPhase> phases = [Phase("read", points + (count * sizeof(ulong)), count * vectorBytes, 0, count * (0.1 + (0.15 * distance)) / 1e6)];
        if (codeBytes > 0)
            phases.Add(Phase("train", points + training, 0, 0, Math.Min(count, TrainingRows) * (5 + (25 * distance)) / 1e6 / threads));
        phases.Add(Phase("lists: divide", points + map + sample + centroids, 0, 0, count * (2 + (3 * distance)) / 1e6 / threads));
        phases.Add(Phase("lists: centroids", points + map + (4 * centroids), 0, 0, plan.Lists * 100 * distance / 1e6 / threads));
        phases.Add(Phase("shuffle", points + map + centroids + (count * sizeof(int)) + shuffle, 0, points, count * 0.3 / 1e6));
        phases.Add(Phase("write", centroids + (count * 12) + ListFilesWriter.WindowBytes, points, indexBytes, count * (1 + (codeBytes > 0 ? 2 * distance : 0)) / 1e6));
        return new BuildPlan
        {
            Points = count,
            Dimension = source.Dimension,
            ElementType = source.ElementType,
            MemoryBudget = null,
            LeastMemoryBudget = phases.Max(phase => phase.MemoryBytes),
            MemoryBytes = phases.Max(phase => phase.MemoryBytes),
            ScratchBytes = points,
            IndexBytes = indexBytes,
            EstimatedSeconds = phases.Sum(phase => phase.EstimatedSeconds),
            Phases = phases,
            Partitions = null,
        };
    }

    private static BuildPlanPhase Phase(string name, long memory, long read, long written, double processorSeconds) =>
        new(name, memory, read, written, processorSeconds + (read / BytesReadPerSecond) + (written / BytesWrittenPerSecond));
}
