using VectorPipe.Bench.Gets;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Runs;
using VectorPipe.Bench.Searches;
using VectorPipe.Indexes;
using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Output;
using VectorPipe.Model.Build;
using VectorPipe.Model.Open;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench get</c>.</summary>
internal static class GetBench
{
    // A session holds this many reads for each query in flight.
    private const int ReadsPerQuery = 8;

    private const int Degree = 16;

    public static async Task<int> RunAsync(GetBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        string directory = await PrepareAsync(arguments, console, cancellationToken);
        using MeasuredIndex index = await Task.Run(
            () => MeasuredIndex.Open(directory, ToOptions(arguments) with { LoggerFactory = console.Logging }, cancellationToken),
            cancellationToken);
        Check(arguments, index.Info);
        var report = new BenchReport(arguments, index.DeviceName);
        report.PrintConfiguration(console);

        using FasterStore? peer = arguments.HasPeer
            ? await Task.Run(() => new FasterStore(arguments, cancellationToken), cancellationToken)
            : null;
        List<GetResultRow> rows = [];
        foreach (int threads in arguments.ThreadCounts)
        {
            // In turn, so that both meet the same hours of a shared machine.
            List<GetResultRow> own = [], others = [];
            for (int i = 0; i < arguments.Iterations; i++)
            {
                own.Add(await Task.Run(() => Measure(arguments, console, index, threads, cancellationToken), cancellationToken));
                if (peer is not null)
                    others.Add(await Task.Run(() => Measure(arguments, console, peer, threads, cancellationToken), cancellationToken));
            }

            rows.Add(report.Add(own, row => row.Run.OperationsPerSecond, row => row.ToColumns()));
            if (peer is not null)
                rows.Add(report.Add(others, row => row.Run.OperationsPerSecond, row => row.ToColumns()));
        }

        console.Write(GetResultTable.Create(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        if (arguments.Chart is not null)
            await SvgChart.WriteAsync(GetCharts.Create(arguments, index.DeviceName, rows), arguments.Chart, cancellationToken);
        return ExitCodes.Ok;
    }

    /// <summary>Finds the index, or builds one of <see cref="KeyedVectors"/>.</summary>
    private static async Task<string> PrepareAsync(GetBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        string name = $"get-{arguments.Keys}{(arguments.Kind == "graph" ? "" : $"-{arguments.Kind}")}.index";
        string directory = arguments.Index ?? Path.Combine(arguments.DataFolder, name);
        if (MeasuredIndex.Exists(directory))
            return directory;

        // Look-ups do not use the graph, so it is small.
        BuildOptions options = Choices.Kind(arguments.Kind) == IndexKind.Ivf
            ? new BuildOptions { Ivf = new IvfBuild(), Seed = KeyedVectors.BuildSeed }
            : new BuildOptions
            {
                Graph = new GraphBuild { MaxDegree = Degree },
                Tuning = new BuildTuning { ListSize = Degree, CodeBytes = 8 },
                Seed = KeyedVectors.BuildSeed,
            };
        await using var source = new KeyedVectors(arguments.Keys);
        var builder = new VectorIndexBuilder(directory, options, console.Logging);
        await arguments.WithProgressAsync(console, progress => builder.BuildAsync(source, progress, cancellationToken));
        return directory;
    }

    private static OpenOptions ToOptions(GetBenchArguments arguments)
    {
        DeviceOptions device = arguments.ToDeviceOptions();
        int depth = arguments.ThrottleLimit;
        return new OpenOptions
        {
            // A session has at least 32 reads; only the ring of the device can reduce them.
            Device = device with { QueueDepth = Math.Min(device.QueueDepth ?? depth, depth) },
            QueriesInFlight = (depth + ReadsPerQuery - 1) / ReadsPerQuery,
        };
    }

    private static void Check(GetBenchArguments arguments, IndexInfo info)
    {
        UsageException.Require(
            arguments.Keys <= info.Count, "--keys", arguments.Keys, $"at most {info.Count}, the vectors of '{info.Directory}'");
        bool isOwn = info is { Seed: KeyedVectors.BuildSeed, Dimension: KeyedVectors.Components, ElementType: VectorElementType.UInt8 };
        UsageException.Require(
            isOwn || !arguments.IsValidated, "--validate", "on", $"off: the vectors of '{info.Directory}' are not derived from their keys");
    }

    private static GetResultRow Measure(
        GetBenchArguments arguments, ToolConsole console, MeasuredIndex index, int threads, CancellationToken cancellationToken)
    {
        GetPlan plan = PlanOf(arguments);
        using var window = new RunWindow(threads);
        RunWorker[] workers = [.. Enumerable.Range(0, threads).Select(thread => CreateWorker(window, index, plan, thread, threads))];
        RunMeasurement run =
            BenchRun.Measure(workers, window, arguments, console, $"[run t={threads}]", "keys", cancellationToken, index);
        return new GetResultRow(GetResultRow.Own, threads, arguments.BatchSize, run with { MeanQueueDepth = index.MeanQueueDepth });
    }

    private static GetResultRow Measure(
        GetBenchArguments arguments, ToolConsole console, FasterStore store, int threads, CancellationToken cancellationToken)
    {
        GetPlan plan = PlanOf(arguments);
        using var window = new RunWindow(threads);
        RunWorker[] workers = [.. Enumerable.Range(0, threads).Select(thread => new FasterWorker(window, store, plan, thread, threads))];
        RunMeasurement run = BenchRun.Measure(
            workers, window, arguments, console, $"[run {FasterStore.Name} t={threads}]", "keys", cancellationToken);
        return new GetResultRow(FasterStore.Name, threads, arguments.BatchSize, run);
    }

    private static GetPlan PlanOf(GetBenchArguments arguments) =>
        new(arguments.BatchSize, arguments.ToDistribution(), arguments.IsValidated, arguments.Rate, arguments.Seed);

    private static RunWorker CreateWorker(RunWindow window, MeasuredIndex index, GetPlan plan, int thread, int threads) =>
        index.Info.ElementType switch
        {
            VectorElementType.Float32 => new GetWorker<float>(window, index, plan, thread, threads),
            VectorElementType.Float16 => new GetWorker<Half>(window, index, plan, thread, threads),
            VectorElementType.UInt8 => new GetWorker<byte>(window, index, plan, thread, threads),
            _ => new GetWorker<sbyte>(window, index, plan, thread, threads),
        };
}
