using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building;

/// <summary>Reads the vectors of a source, see <see cref="VectorLoader"/>.</summary>
internal sealed class ReadPhase(BuildSize size, BuildWork work, VectorSource source, bool isRounded) : Phase
{
    public override string Name => "read";

    /// <summary>Handles vectors that should not be rounded; null to round all that are within the range of float16.</summary>
    public Action<BuildRun, string>? OnMisfit { get; init; }

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new((sizeof(ulong) * size.Count) + (3 * MachineModel.MiB), size.RecordTableBytes, BuildSize.ScanBytes(1));

    public override double Seconds(int threads) => size.Seconds(size.Count, 0.2, 1);

    public override async Task RunAsync(BuildRun run)
    {
        HalfFit? fit = isRounded ? new HalfFit(size.Metric) : null;
        var points = new PointTable(size.Metric, size.Type, size.Dimension, (int)size.Count, run.Paging);
        work.Points = points;
        work.PointsHash = await VectorLoader.LoadAsync(
            source, points, run.Paging, fit, done => run.Report(this, done, size.Count), run.CancellationToken).ConfigureAwait(false);
        if (fit is null)
            return;
        if (OnMisfit is null)
            RequireRange(fit);
        else if (FindDefect(fit, points, run.Paging) is { } defect)
            OnMisfit(run, defect);
    }

    private static void RequireRange(HalfFit fit)
    {
        if (fit.RangeDefect is { } defect)
            throw new InvalidVectorException(fit.LargestRow, defect + ".");
    }

    private static string? FindDefect(HalfFit fit, PointTable points, PagedMemory? paging)
    {
        using PageLease lease = PageLease.Rent(paging);
        return fit.FindDefect(points, lease);
    }
}
