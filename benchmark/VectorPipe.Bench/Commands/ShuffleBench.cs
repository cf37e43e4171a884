using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Shuffles;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench shuffle</c>.</summary>
internal static class ShuffleBench
{
    /// <summary>Measures every batch size, and reports.</summary>
    public static async Task<int> RunAsync(ShuffleBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        var report = new BenchReport(arguments, arguments.Device);
        if (!arguments.Quiet)
            report.PrintConfiguration(console);
        ILogger logger = console.Logging.CreateLogger(nameof(ShuffleBench));
        string folder = DataFolder.Of(arguments);
        Directory.CreateDirectory(folder);

        // Once without being counted: code that is compiled for the first time is memory too, and not the shuffle's.
        await Task.Run(
            () => ShuffleRun.Measure(arguments, arguments.BatchMb.First(), folder, NullLogger.Instance, cancellationToken),
            cancellationToken);
        List<ShuffleResultRow> rows = [];
        foreach (int batchMb in arguments.BatchMb)
        {
            List<ShuffleResultRow> iterations = [];
            for (int i = 0; i < arguments.Iterations; i++)
                iterations.Add(
                    await Task.Run(() => ShuffleRun.Measure(arguments, batchMb, folder, logger, cancellationToken), cancellationToken));
            rows.Add(report.Add(iterations, row => -row.WriteSeconds, row => row.ToColumns()));
        }

        console.Write(ShuffleResultRow.CreateTable(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }
}
