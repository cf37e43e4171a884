using VectorPipe.Bench.Follows;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench follow</c>.</summary>
internal static class FollowBench
{
    // Of a fast disk. Measured anew at each opening, it might give the two calibrations different efforts.
    private const double ReadCostUs = 30;

    public static async Task<int> RunAsync(FollowBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", arguments.Query, cancellationToken);
        IndexInfo info = VectorIndex.Inspect(arguments.Index);
        queries.RequireKind("--query", info.ElementType, info.Dimension, info.Directory);
        UsageException.Require(info.Calibration.Count > 0, "--index", "an index without a calibration", "one with a calibration");
        var report = new BenchReport(arguments, arguments.Device);
        report.PrintConfiguration(console);
        (IReadOnlyList<FollowResultRow> rows, QueryRecall seen) = await (queries.ElementType switch
        {
            VectorElementType.Float32 => new FollowRun<float>(arguments, OpenAsync, queries).MeasureAsync(cancellationToken),
            VectorElementType.Float16 => new FollowRun<Half>(arguments, OpenAsync, queries).MeasureAsync(cancellationToken),
            VectorElementType.UInt8 => new FollowRun<byte>(arguments, OpenAsync, queries).MeasureAsync(cancellationToken),
            _ => new FollowRun<sbyte>(arguments, OpenAsync, queries).MeasureAsync(cancellationToken),
        });
        foreach (FollowResultRow row in rows)
            report.Add([row], result => result.Target, result => result.ToColumns());
        console.Write(FollowResultRow.CreateTable(rows));
        console.WriteLine($"Of the {seen.Queries} queries that were followed, {seen.Found:F3} was found where {seen.Target} was aimed at.");
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;

        Task<VectorIndex> OpenAsync(bool follows) => VectorIndex.OpenAsync(
            info.Directory,
            new OpenOptions
            {
                Device = arguments.ToDeviceOptions(),
                SearchThreads = arguments.ThreadCounts[0],
                ExactUpTo = 0,
                ReadCostUs = ReadCostUs,
                FollowQueries = follows,
                LoggerFactory = console.Logging,
            },
            progress: null, cancellationToken);
    }
}
