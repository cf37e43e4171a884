using VectorPipe.Bench.Reads;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Runs;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Memory;
using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Output;
using VectorPipe.Model.Open;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench device</c>.</summary>
internal static class DeviceBench
{
    public static async Task<int> RunAsync(DeviceBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        PageFile file = await arguments.WithProgressAsync(console, progress => Task.Run(
            () => PageFile.OpenOrCreate(arguments.DataFolder, arguments.ReadBytes, arguments.PageCount, progress, cancellationToken),
            cancellationToken));
        DeviceOptions options = arguments.ToDeviceOptions();
        using IDevice device = DeviceFactory.Open([file.FilePath], options, console.Logging.CreateLogger(nameof(DeviceBench)));
        var report = new BenchReport(arguments, device.Name);
        report.PrintConfiguration(console);

        List<ReadResultRow> rows = [];
        foreach (int threads in arguments.ThreadCounts)
        {
            foreach (int depth in arguments.ThrottleLimits)
            {
                var plan = new ReadPlan(
                    depth, options.Tuned.SubmitEvery, options.Tuned.PollUs, arguments.IsValidated, Timed: true, arguments.Rate,
                    arguments.Seed);
                rows.Add(await report.MeasureAsync(
                    () => MeasureWithCosts(arguments, console, device, file, plan, threads, cancellationToken),
                    row => row.Iops, row => row.ToColumns(), cancellationToken));
            }
        }

        console.Write(ReadResultTable.Create(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        if (arguments.Chart is not null)
            await SvgChart.WriteAsync(ReadCharts.Create(arguments, device.Name, rows), arguments.Chart, cancellationToken);
        return ExitCodes.Ok;
    }

    /// <summary>Measures; on a memory device again without clocks, to separate the costs of pipeline, copy and validation.</summary>
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
            ReadPlan bareOf = plan with { Validate = false, Timed = false };
            (bare, _) = Measure(arguments, console, device, file, bareOf, threads, cancellationToken);
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
        RunMeasurement run = BenchRun.Measure(workers, window, arguments, console, label, "reads", cancellationToken);
        return (run, workers[0].Depth);
    }
}
