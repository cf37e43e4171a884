using System.Globalization;
using System.Text;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Runs;
using VectorPipe.Bench.Servers;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench server</c>.</summary>
internal static class ServerBench
{
    private const int SilentBytes = 60_000;

    public static async Task<int> RunAsync(ServerBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        VectorMatrix vectors = await VectorMatrix.LoadAsync("--base", arguments.Base, cancellationToken);
        int points = arguments.Points ?? vectors.Count;
        UsageException.Require(points <= vectors.Count, "--points", points, $"at most {vectors.Count}, the rows of the base");
        vectors = vectors with { Count = points };
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", arguments.Query, cancellationToken);
        queries.RequireKind("--query", vectors.ElementType, vectors.Dimension, arguments.Base);
        GroundTruth? truth = arguments.Truth is null ? null : await GroundTruth.LoadAsync(arguments.Truth, cancellationToken);
        if (truth is not null && truth.Count < queries.Count)
            queries = queries with { Count = truth.Count };
        Recall? recall = truth is null
            ? null
            : new Recall(truth, arguments.Truth!, queries.Count, arguments.K, Choices.Metric(arguments.Metric));
        var report = new BenchReport(arguments, "server");
        report.PrintConfiguration(console);
        byte[][] searches = [.. Enumerable.Range(0, queries.Count).Select(row => Search(arguments, queries, row))];
        var plan = new ServerPlan(
            searches, recall, arguments.K, arguments.Pipeline, arguments.Rate, [.. arguments.Ports], arguments.IsValidated);
        List<ServerResultRow> rows = [];
        await Task.Factory.StartNew(
            () =>
            {
                FilledSet.Prepare(arguments, console, vectors, cancellationToken);
                List<ServerConnection> silent = BeSilent(arguments);
                try
                {
                    foreach (int connections in arguments.ThreadCounts)
                    {
                        ServerResultRow row = Measure(arguments, console, plan, connections, cancellationToken);
                        report.Add([row], result => result.Run.OperationsPerSecond, result => result.ToColumns());
                        rows.Add(row);
                    }
                }
                finally
                {
                    silent.ForEach(connection => connection.Dispose());
                }
            },
            cancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        console.Write(ServerResultRow.CreateTable(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }

    private static ServerResultRow Measure(
        ServerBenchArguments arguments, ToolConsole console, ServerPlan plan, int connections, CancellationToken cancellationToken)
    {
        using var window = new RunWindow(connections);
        ServerWorker[] workers =
            [.. Enumerable.Range(0, connections).Select(thread => new ServerWorker(window, plan, thread, connections))];
        using var costs = new ServerCosts(plan.Ports);
        RunMeasurement run = BenchRun.Measure(
            workers, window, arguments, console, $"[run c={connections}]", "searches", cancellationToken, costs);
        var refused = new LatencyHistogram();
        foreach (ServerWorker worker in workers)
            refused.Add(worker.Refused);
        double? recall = plan.Recall is null || run.Operations == 0
            ? null
            : workers.Sum(worker => worker.Found) / ((double)run.Operations * plan.K);
        return new ServerResultRow(connections, run, refused, recall, costs);
    }

    // Long replies fill all buffers at once: what is measured then is a server that waits for its clients, not one that works for them.
    private static List<ServerConnection> BeSilent(ServerBenchArguments arguments)
    {
        byte[] echo = ServerConnection.Encode("ECHO", new string('x', SilentBytes));
        var silent = new List<ServerConnection>();
        for (int i = 0; i < arguments.Silent; i++)
        {
            var connection = new ServerConnection(arguments.Ports.First());
            silent.Add(connection);
            connection.SendWithoutWaiting(echo);
        }

        return silent;
    }

    private static byte[] Search(ServerBenchArguments arguments, VectorMatrix queries, int row) => ServerConnection.Encode(
    [
        "VSIM"u8.ToArray(), Encoding.UTF8.GetBytes(arguments.Set), "FP32"u8.ToArray(), FilledSet.ToFloats(queries, row),
        "COUNT"u8.ToArray(), Encoding.UTF8.GetBytes(arguments.K.ToString(CultureInfo.InvariantCulture)),
        .. arguments.SearchWords.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(Encoding.UTF8.GetBytes),
    ]);
}
