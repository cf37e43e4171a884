using VectorPipe.Bench.Engines;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench engine</c>.</summary>
internal static class EngineBench
{
    public static async Task<int> RunAsync(EngineBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        var report = new BenchReport(arguments, arguments.Device);
        report.PrintConfiguration(console);
        var run = new EngineRun(arguments, console);
        await run.CreateAsync(cancellationToken);
        List<EngineResultRow> all = [];
        foreach (int threads in arguments.ThreadCounts)
        {
            foreach (EngineResultRow row in await run.MeasureAsync(threads, cancellationToken))
                all.Add(report.Add([row], result => -result.Seconds, result => result.ToColumns()));
        }

        console.Write(EngineResultRow.CreateTable(all));
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }
}
