using VectorPipe.Bench.Churns;
using VectorPipe.Bench.Mixes;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench churn</c>.</summary>
internal static class ChurnBench
{
    public static async Task<int> RunAsync(ChurnBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        string path = await arguments.WithProgressAsync(
            console, progress => arguments.FindBaseAsync(checked((int)arguments.RowsOnce), progress, cancellationToken));
        VectorMatrix vectors = await VectorMatrix.LoadAsync("--base", path, cancellationToken);
        UsageException.Require(
            arguments.RowsNeeded <= vectors.Count, "--points", arguments.Points,
            $"at most {vectors.Count} rows of '{path}' with those that are inserted");
        VectorMatrix queries = arguments.Query is null
            ? vectors
            : await VectorMatrix.LoadAsync("--query", arguments.Query, cancellationToken);
        queries.RequireKind("--query", vectors.ElementType, vectors.Dimension, path);
        queries = queries with { Count = Math.Min(queries.Count, arguments.Queries) };
        Directory.CreateDirectory(arguments.DataFolder);
        return await (vectors.ElementType switch
        {
            VectorElementType.Float32 => RunAsync<float>(arguments, console, vectors, queries, cancellationToken),
            VectorElementType.Float16 => RunAsync<Half>(arguments, console, vectors, queries, cancellationToken),
            VectorElementType.UInt8 => RunAsync<byte>(arguments, console, vectors, queries, cancellationToken),
            _ => RunAsync<sbyte>(arguments, console, vectors, queries, cancellationToken),
        });
    }

    private static async Task<int> RunAsync<T>(
        ChurnBenchArguments arguments, ToolConsole console, VectorMatrix vectors, VectorMatrix queries,
        CancellationToken cancellationToken)
        where T : unmanaged
    {
        await using VectorCollection<ulong> collection =
            await FilledCollection.CreateAsync<T>(arguments, console, vectors, cancellationToken);
        var report = new BenchReport(arguments, arguments.Device);
        report.PrintConfiguration(console);
        List<ChurnResultRow> rows = [];
        await foreach (ChurnResultRow row in new ChurnRun<T>(arguments, collection, vectors, queries).RunAsync(cancellationToken))
        {
            rows.Add(report.Add([row], result => result.Recall, result => result.ToColumns()));
            string rebuilt = $"rebuilt {row.RecallRebuilt:F4} with {row.ReadsRebuilt:F2}";
            if (!arguments.Quiet)
                console.WriteLine($"[{row.Share:F2}] recall {row.Recall:F4} with {row.Reads:F2} reads, {rebuilt}");
        }

        console.Write(ChurnResultRow.CreateTable(rows));
        console.Write(ChurnResultRow.CreateComparison(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }
}
