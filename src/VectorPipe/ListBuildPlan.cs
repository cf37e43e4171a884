using VectorPipe.Building.Ivf;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics;
using VectorPipe.Searching.Calibrating;

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
    /// <param name="memory">How the memory is divided.</param>
    /// <param name="codeBytes">Bytes of a code; 0 if there are none.</param>
    /// <param name="indexBytes">Bytes of the index, at most.</param>
    public static BuildPlan Of(BuildOptions options, VectorSource source, ListPlan plan, ListMemory memory, int codeBytes, long indexBytes)
    {
        long count = source.Count;
        VectorForm form = VectorForm.Of(options.Metric, source.ElementType, source.Dimension);
        long vectorBytes = source.Dimension * source.ElementType.SizeInBytes();
        long points = memory.TableBytes(BuildStage.Read);
        double distance = form.Components / UnitComponents * (form.IsFloat ? FloatFactor : 1);
        double threads = Math.Min(options.Threads, Environment.ProcessorCount);

        // Rows that have no room were written once, and are read again by whoever goes over all of them.
        BuildPlanPhase Phase(string name, BuildStage stage, int scans, long read, long written, double processorSeconds)
        {
            read += scans * memory.ExcessBytes(stage);
            return new BuildPlanPhase(name, memory.TakenBytes(stage), read, written, processorSeconds + (read / BytesReadPerSecond) + (written / BytesWrittenPerSecond));
        }

        List<BuildPlanPhase> phases = [Phase("read", BuildStage.Read, 0, count * vectorBytes, memory.Stages.Max(memory.ExcessBytes), count * (0.1 + (0.15 * distance)) / 1e6)];
        if (codeBytes > 0)
            phases.Add(Phase("train", BuildStage.Train, 1, 0, 0, Math.Min(count, TrainingRows) * (5 + (25 * distance)) / 1e6 / threads));
        phases.Add(Phase("lists: divide", BuildStage.Partition, 2, 0, 0, count * (2 + (3 * distance)) / 1e6 / threads));
        phases.Add(Phase("lists: centroids", BuildStage.Finish, 0, 0, 0, plan.Lists * 100 * distance / 1e6 / threads));
        phases.Add(Phase("shuffle", BuildStage.Shuffle, 1, 0, points, count * 0.3 / 1e6));
        phases.Add(Phase("write", BuildStage.Write, 0, points, indexBytes, count * (1 + (codeBytes > 0 ? 2 * distance : 0)) / 1e6));
        if (memory.Stages.Contains(BuildStage.Calibrate))
        {
            // Every query scans some hundred lists; of few there are no more.
            long lists = Math.Min(plan.Lists, IndexCalibrator.TruthProbes) + IndexCalibrator.ProbesOf(plan.Lists).Sum(probes => (long)probes);
            long rows = IndexCalibrator.ListQueries * lists * plan.RowsOf(count);
            phases.Add(Phase("calibrate", BuildStage.Calibrate, 0, rows * (codeBytes > 0 ? codeBytes : vectorBytes), 0, rows * 0.015 * distance / 1e6));
        }

        return new BuildPlan
        {
            Points = count,
            Dimension = source.Dimension,
            ElementType = source.ElementType,
            MemoryBudget = options.MemoryBudget,
            LeastMemoryBudget = memory.Least,
            MemoryBytes = phases.Max(phase => phase.MemoryBytes),
            ScratchBytes = points + (memory.Budget is null ? 0 : points + PagedMemory.BlockBytes),
            IndexBytes = indexBytes,
            EstimatedSeconds = phases.Sum(phase => phase.EstimatedSeconds),
            Phases = phases,
            Partitions = null,
        };
    }
}
