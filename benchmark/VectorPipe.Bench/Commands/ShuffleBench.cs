using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Shuffles;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench shuffle</c>.</summary>
internal static class ShuffleBench
{
    public static async Task<int> RunAsync(ShuffleBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        var report = new BenchReport(arguments, arguments.Device);
        report.PrintConfiguration(console);
        ILogger logger = console.Logging.CreateLogger(nameof(ShuffleBench));
        string folder = arguments.DataFolder;
        Directory.CreateDirectory(folder);

        // A first run, so that the memory of compilation does not count as the shuffle's.
        await Task.Run(
            () => ShuffleRun.Measure(arguments, arguments.BatchMb.First(), folder, NullLogger.Instance, cancellationToken),
            cancellationToken);
        List<ShuffleResultRow> rows = [];
        foreach (int batchMb in arguments.BatchMb)
        {
            rows.Add(await report.MeasureAsync(
                () => ShuffleRun.Measure(arguments, batchMb, folder, logger, cancellationToken),
                row => -row.WriteSeconds, row => row.ToColumns(), cancellationToken));
        }

        console.Write(ShuffleResultRow.CreateTable(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }
}
