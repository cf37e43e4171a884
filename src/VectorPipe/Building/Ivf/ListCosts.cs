using VectorPipe.Building.Paging;
using VectorPipe.Searching.Calibrating;

namespace VectorPipe.Building.Ivf;

/// <summary>Computes what the phases of a build of lists will take from the shape of the data.</summary>
internal static class ListCosts
{
    // A float component takes about 2.3 times as long as a byte in the blocked kernels.
    private const double FloatFactor = 2.3;
    private const double UnitComponents = 128;
    private const double BytesReadPerSecond = 150e6;
    private const double BytesWrittenPerSecond = 400e6;
    private const int TrainingRows = 65_536;

    /// <summary>The phases, in order.</summary>
    /// <param name="shape">What is built.</param>
    /// <param name="memory">How the memory is divided.</param>
    /// <param name="indexBytes">Bytes of the index, at most.</param>
    public static IReadOnlyList<ListCost> Of(ListBuildShape shape, ListMemory memory, long indexBytes)
    {
        long count = shape.Count;
        long points = memory.TableBytes(BuildStage.Read);
        double distance = shape.Form.Components / UnitComponents * (shape.Form.IsFloat ? FloatFactor : 1);
        double threads = Math.Min(shape.Threads, Environment.ProcessorCount);
        List<ListCost> phases = [Phase("read", BuildStage.Read, 0, count * shape.VectorBytes, memory.Stages.Max(memory.ExcessBytes), count * (0.1 + (0.15 * distance)))];
        if (shape.IsCoded)
            phases.Add(Phase("train", BuildStage.Train, 1, 0, 0, Math.Min(count, TrainingRows) * (5 + (25 * distance)) / threads));
        phases.Add(Phase("lists: divide", BuildStage.Partition, 2, 0, 0, count * (2 + (3 * distance)) / threads));
        phases.Add(Phase("lists: centroids", BuildStage.Finish, 0, 0, 0, shape.Plan.Lists * 100 * distance / threads));
        phases.Add(Phase("shuffle", BuildStage.Shuffle, 1, 0, points, count * 0.3));
        phases.Add(Phase("write", BuildStage.Write, 0, points, indexBytes, count * (1 + (shape.IsCoded ? 2 * distance : 0))));
        if (!shape.IsCalibrated)
            return phases;

        // Every query scans some hundred lists; of few there are no more.
        long lists = Math.Min(shape.Plan.Lists, IndexCalibrator.TruthProbes) + IndexCalibrator.ProbesOf(shape.Plan.Lists).Sum(probes => (long)probes);
        long rows = IndexCalibrator.ListQueries * lists * shape.Plan.RowsOf(count);
        phases.Add(Phase("calibrate", BuildStage.Calibrate, 0, rows * (shape.IsCoded ? shape.CodeBytes : shape.VectorBytes), 0, rows * 0.015 * distance));
        return phases;

        // Rows that have no room were written once, and are read again by whoever goes over all of them.
        ListCost Phase(string name, BuildStage stage, int scans, long read, long written, double processorUs)
        {
            read += scans * memory.ExcessBytes(stage);
            return new ListCost(name, memory.TakenBytes(stage), read, written, (processorUs / 1e6) + (read / BytesReadPerSecond) + (written / BytesWrittenPerSecond));
        }
    }
}
