using VectorPipe.Bench.Mixes;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench mixed</c>.</summary>
internal static class MixedBench
{
    public static async Task<int> RunAsync(MixedBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        string path = await arguments.WithProgressAsync(
            console, progress => arguments.FindBaseAsync(arguments.Points, progress, cancellationToken));
        VectorMatrix vectors = await VectorMatrix.LoadAsync("--base", path, cancellationToken);
        UsageException.Require(
            arguments.Points <= vectors.Count, "--points", arguments.Points, $"at most {vectors.Count}, the rows of '{path}'");
        VectorMatrix? queries = arguments.Query is null
            ? null
            : await VectorMatrix.LoadAsync("--query", arguments.Query, cancellationToken);
        queries?.RequireKind("--query", vectors.ElementType, vectors.Dimension, path);
        return await (vectors.ElementType switch
        {
            VectorElementType.Float32 => RunAsync<float>(arguments, console, vectors, queries, cancellationToken),
            VectorElementType.Float16 => RunAsync<Half>(arguments, console, vectors, queries, cancellationToken),
            VectorElementType.UInt8 => RunAsync<byte>(arguments, console, vectors, queries, cancellationToken),
            _ => RunAsync<sbyte>(arguments, console, vectors, queries, cancellationToken),
        });
    }

    private static async Task<int> RunAsync<T>(
        MixedBenchArguments arguments, ToolConsole console, VectorMatrix vectors, VectorMatrix? queries,
        CancellationToken cancellationToken)
        where T : unmanaged
    {
        await using VectorCollection<ulong> collection =
            await FilledCollection.CreateAsync<T>(arguments, console, vectors, cancellationToken);
        var report = new BenchReport(arguments, arguments.Device);
        report.PrintConfiguration(console);
        var keys = new MixKeys(arguments.Distribution, arguments.Points, arguments.ZipfTheta);
        var plan = new MixPlan(
            Mix.Parse(arguments.Shares), keys, vectors, queries, arguments.K, arguments.ToSearchOptions(), arguments.IsValidated,
            arguments.Rate, arguments.Seed);
        List<MixResultRow> all = [];
        foreach (int threads in arguments.ThreadCounts)
        {
            // On a thread of its own: the answers of the collection need those of the pool.
            IReadOnlyList<MixResultRow> rows = await Task.Factory.StartNew(
                () => MixRun.Measure<T>(arguments, console, collection, plan, threads, cancellationToken), cancellationToken,
                TaskCreationOptions.LongRunning, TaskScheduler.Default);
            foreach (MixResultRow row in rows)
                report.Add([row], result => result.OperationsPerSecond, result => result.ToColumns());
            all.AddRange(rows);
        }

        console.Write(MixResultRow.CreateTable(all));
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }
}
