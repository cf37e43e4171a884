using VectorPipe.Bench.Overloads;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench overload</c>.</summary>
internal static class OverloadBench
{
    public static async Task<int> RunAsync(OverloadBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", arguments.Query, cancellationToken);
        using var engine = new VectorPipeEngine(
            new VectorPipeEngineOptions { SearchThreads = arguments.ThreadCounts[0], MaxQueuedQueries = arguments.MaxQueued });
        var options = new OpenOptions { Engine = engine, Device = arguments.ToDeviceOptions(), LoggerFactory = console.Logging };
        await using VectorIndex index =
            await VectorIndex.OpenAsync(arguments.Index, options, progress: null, cancellationToken: cancellationToken);
        queries.RequireKind("--query", index.Info.ElementType, index.Info.Dimension, arguments.Index);
        var report = new BenchReport(arguments, index.DeviceName);
        report.PrintConfiguration(console);
        IReadOnlyList<OverloadResultRow> rows = await (queries.ElementType switch
        {
            VectorElementType.Float32 => MeasureAsync<float>(arguments, index, queries, report, cancellationToken),
            VectorElementType.Float16 => MeasureAsync<Half>(arguments, index, queries, report, cancellationToken),
            VectorElementType.UInt8 => MeasureAsync<byte>(arguments, index, queries, report, cancellationToken),
            _ => MeasureAsync<sbyte>(arguments, index, queries, report, cancellationToken),
        });
        console.Write(OverloadResultRow.CreateTable(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }

    private static async Task<IReadOnlyList<OverloadResultRow>> MeasureAsync<T>(
        OverloadBenchArguments arguments, VectorIndex index, VectorMatrix queries, BenchReport report, CancellationToken cancellationToken)
        where T : unmanaged
    {
        var run = new OverloadRun<T>(arguments, index, queries);
        List<OverloadResultRow> rows = [await run.SaturateAsync(cancellationToken)];
        for (int round = 1; round <= arguments.Rounds; round++)
        {
            rows.AddRange(await run.OverloadAsync(round, usesPool: false, cancellationToken));
            rows.AddRange(await run.OverloadAsync(round, usesPool: true, cancellationToken));
        }

        foreach (OverloadResultRow row in rows)
            report.Add([row], result => result.Latencies.Count, result => result.ToColumns());
        return rows;
    }
}
