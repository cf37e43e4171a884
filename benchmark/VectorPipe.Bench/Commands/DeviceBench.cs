using VectorPipe.Bench.Charts;
using VectorPipe.Bench.Reads;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Runs;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Memory;
using VectorPipe.Measuring.Output;
using VectorPipe.Model.Open;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench device</c>.</summary>
internal static class DeviceBench
{
    /// <summary>Measures every number of threads at every depth, and reports.</summary>
    public static async Task<int> RunAsync(DeviceBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        PageFile file = await PrepareAsync(arguments, console, cancellationToken);
        DeviceOptions options = arguments.ToDeviceOptions();
        using IDevice device = DeviceFactory.Open([file.FilePath], options, console.Logging.CreateLogger(nameof(DeviceBench)));
        var report = new BenchReport(arguments, device.Name);
        if (!arguments.Quiet)
            report.PrintConfiguration(console);

        List<ReadResultRow> rows = [];
        foreach (int threads in arguments.ThreadCounts)
        {
            foreach (int depth in arguments.ThrottleLimits)
            {
                var plan = new ReadPlan(
                    depth, options.Tuned.SubmitEvery, options.Tuned.PollUs, arguments.IsValidated, Timed: true, arguments.Rate,
                    arguments.Seed);
                List<ReadResultRow> iterations = [];
                for (int i = 0; i < arguments.Iterations; i++)
                    iterations.Add(
                        await Task.Run(
                            () => MeasureWithCosts(arguments, console, device, file, plan, threads, cancellationToken), cancellationToken));
                rows.Add(report.Add(iterations, row => row.Iops, row => row.ToColumns()));
            }
        }

        console.Write(ReadResultTable.Create(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        if (arguments.Chart is not null)
            await SvgChart.WriteAsync(ReadCharts.Create(arguments, device.Name, rows), arguments.Chart, cancellationToken);
        return ExitCodes.Ok;
    }

    private static async Task<PageFile> PrepareAsync(
        DeviceBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        string folder = DataFolder.Of(arguments);
        Task<PageFile> Open(IProgress<BuildProgress>? progress) => Task.Run(
            () => PageFile.OpenOrCreate(folder, arguments.ReadBytes, arguments.PageCount, progress, cancellationToken), cancellationToken);
        return arguments.Quiet ? await Open(null) : await console.WithProgressAsync(Open);
    }

    /// <summary>
    /// On a memory device, further runs without clocks, without and with validation, tell the pipeline's cost from the validation's.
    /// </summary>
    private static ReadResultRow MeasureWithCosts(
        DeviceBenchArguments arguments, ToolConsole console, IDevice device, PageFile file, ReadPlan plan, int threads,
        CancellationToken cancellationToken)
    {
        (RunMeasurement run, int depth) = Measure(arguments, console, device, file, plan, threads, cancellationToken);
        RunMeasurement? bare = null;
        RunMeasurement? copied = null;
        RunMeasurement? validated = null;
        if (device is LocalMemoryDevice && plan.Rate is null)
        {
            (bare, _) =
                Measure(arguments, console, device, file, plan with { Validate = false, Timed = false }, threads, cancellationToken);
            if (arguments.ToDeviceOptions().Kind == DeviceKind.Memory)
                copied = MeasureCopies(arguments, file, plan, threads, cancellationToken);
            if (plan.Validate)
                (validated, _) = Measure(arguments, console, device, file, plan with { Timed = false }, threads, cancellationToken);
        }

        return ReadResultRow.Create(run, bare, copied, validated, depth, threads, file.PageSize);
    }

    private static RunMeasurement MeasureCopies(
        DeviceBenchArguments arguments, PageFile file, ReadPlan plan, int threads, CancellationToken cancellationToken)
    {
        using var image = new MemoryImage([file.FilePath]);
        using var window = new RunWindow(threads);
        CopyWorker[] workers = [.. Enumerable.Range(0, threads).Select(thread => new CopyWorker(window, image, file, plan, thread))];
        return BenchRun.Measure(workers, window, arguments.ToTimes(), report: null, cancellationToken);
    }

    private static (RunMeasurement Run, int Depth) Measure(
        DeviceBenchArguments arguments, ToolConsole console, IDevice device, PageFile file, ReadPlan plan, int threads,
        CancellationToken cancellationToken)
    {
        using var window = new RunWindow(threads);
        ReadWorker[] workers =
            [.. Enumerable.Range(0, threads).Select(thread => new ReadWorker(window, device, file, plan, thread, threads))];
        string label = $"[run t={threads} depth={plan.Depth}{(plan.Timed ? "" : plan.Validate ? " untimed" : " bare")}]";
        Action<double>? report = arguments.Quiet || arguments.ReportIntervalSeconds == 0
            ? null
            : rate => console.WriteLine($"{label} {rate:F0} reads/s");
        RunMeasurement run = BenchRun.Measure(workers, window, arguments.ToTimes(), report, cancellationToken);
        if (!arguments.Quiet)
            console.WriteLine($"{label} {run.Operations} reads, {run.OperationsPerSecond:F0}/s, exit lag {run.ExitLagSeconds * 1e3:F1} ms");
        return (run, workers[0].Depth);
    }
}
