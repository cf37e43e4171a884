using VectorPipe.Bench.Charts;
using VectorPipe.Bench.Gets;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Runs;
using VectorPipe.Bench.Searches;
using VectorPipe.Measuring.Output;
using VectorPipe.Model.Build;
using VectorPipe.Model.Open;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench get</c>.</summary>
internal static class GetBench
{
    /// <summary>Reads that a session holds for each query that it is opened for.</summary>
    private const int ReadsPerQuery = 8;

    private const int Degree = 16;

    /// <summary>Measures every number of threads, and reports.</summary>
    public static async Task<int> RunAsync(GetBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        string directory = await PrepareAsync(arguments, console, cancellationToken);
        using MeasuredIndex index = await Task.Run(
            () => MeasuredIndex.Open(directory, ToOptions(arguments) with { LoggerFactory = console.Logging }, cancellationToken),
            cancellationToken);
        Check(arguments, index.Info);
        var report = new BenchReport(arguments, index.DeviceName);
        if (!arguments.Quiet)
            report.PrintConfiguration(console);

        List<GetResultRow> rows = [];
        foreach (int threads in arguments.ThreadCounts)
        {
            List<GetResultRow> iterations = [];
            for (int i = 0; i < arguments.Iterations; i++)
                iterations.Add(await Task.Run(() => Measure(arguments, console, index, threads, cancellationToken), cancellationToken));
            rows.Add(report.Add(iterations, row => row.Run.OperationsPerSecond, row => row.ToColumns()));
        }

        console.Write(GetResultTable.Create(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        if (arguments.Chart is not null)
            await SvgChart.WriteAsync(GetCharts.Create(arguments, index.DeviceName, rows), arguments.Chart, cancellationToken);
        return ExitCodes.Ok;
    }

    /// <summary>The index that was named, or one of vectors that follow from their keys where there is none yet.</summary>
    private static async Task<string> PrepareAsync(GetBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        string directory = arguments.DataPath
            ?? Path.Combine(
                DataFolder.Of(arguments), $"get-{arguments.Keys}{(arguments.Kind == "graph" ? "" : $"-{arguments.Kind}")}.index");
        try
        {
            VectorIndex.Inspect(directory);
            return directory;
        }
        catch (IndexNotFoundException)
        {
            // Built below. Look-ups do not use the graph, so it is as small as may be.
        }

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
        if (arguments.Quiet)
            await builder.BuildAsync(source, null, cancellationToken);
        else
            await console.WithProgressAsync(progress => builder.BuildAsync(source, progress, cancellationToken));
        return directory;
    }

    private static OpenOptions ToOptions(GetBenchArguments arguments)
    {
        DeviceOptions device = arguments.ToDeviceOptions();
        int depth = arguments.ThrottleLimit;
        return new OpenOptions
        {
            // A session has at least 32 reads; the device's own ring makes it fewer.
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
            isOwn || !arguments.IsValidated, "--validate", "on", $"off: the vectors of '{info.Directory}' do not follow from their keys");
    }

    private static GetResultRow Measure(
        GetBenchArguments arguments, ToolConsole console, MeasuredIndex index, int threads, CancellationToken cancellationToken)
    {
        var plan = new GetPlan(arguments.BatchSize, arguments.ToDistribution(), arguments.IsValidated, arguments.Rate, arguments.Seed);
        using var window = new RunWindow(threads);
        RunWorker[] workers = [.. Enumerable.Range(0, threads).Select(thread => CreateWorker(window, index, plan, thread, threads))];
        string label = $"[run t={threads}]";
        Action<double>? progress = arguments.Quiet || arguments.ReportIntervalSeconds == 0
            ? null
            : rate => console.WriteLine($"{label} {rate:F0} keys/s");
        RunMeasurement run = BenchRun.Measure(workers, window, arguments.ToTimes(), progress, cancellationToken, index);
        if (!arguments.Quiet)
            console.WriteLine($"{label} {run.Operations} keys, {run.OperationsPerSecond:F0}/s, exit lag {run.ExitLagSeconds * 1e3:F1} ms");
        return new GetResultRow(threads, arguments.BatchSize, run with { MeanQueueDepth = index.MeanQueueDepth });
    }

    private static RunWorker CreateWorker(RunWindow window, MeasuredIndex index, GetPlan plan, int thread, int threads) =>
        index.Info.ElementType switch
        {
            VectorElementType.Float32 => new GetWorker<float>(window, index, plan, thread, threads),
            VectorElementType.Float16 => new GetWorker<Half>(window, index, plan, thread, threads),
            VectorElementType.UInt8 => new GetWorker<byte>(window, index, plan, thread, threads),
            _ => new GetWorker<sbyte>(window, index, plan, thread, threads),
        };
}
