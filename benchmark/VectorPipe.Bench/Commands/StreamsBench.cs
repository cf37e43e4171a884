using VectorPipe.Bench.Reads;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Streams;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Measuring.Output;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench streams</c>.</summary>
internal static class StreamsBench
{
    /// <summary>Measures every look-ahead both ways, reads in the order of landing, and a scan, and reports.</summary>
    public static async Task<int> RunAsync(StreamsBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        Task<PageFile> Open(IProgress<BuildProgress>? progress) => Task.Run(
            () =>
            PageFile.OpenOrCreate(
                DataFolder.Of(arguments), PageCodec.PageUnit, arguments.PageCount, progress, cancellationToken), cancellationToken);
        PageFile file = arguments.Quiet ? await Open(null) : await console.WithProgressAsync(Open);
        using IDevice device =
            DeviceFactory.Open([file.FilePath], arguments.ToDeviceOptions(), console.Logging.CreateLogger(nameof(StreamsBench)));
        var report = new BenchReport(arguments, device.Name);
        if (!arguments.Quiet)
            report.PrintConfiguration(console);

        var walk = new BurstWalk(device, file, arguments.Burst, arguments.Bursts, arguments.Seed);
        List<StreamResultRow> rows = [];
        rows.Add(await MeasureAsync(walk.RunQueue));
        foreach (bool isKept in (bool[])[true, false])
        {
            foreach (int reads in arguments.LookAheads)
                rows.Add(await MeasureAsync(() => walk.RunStream(reads, isKept)));
        }

        foreach (bool isVerified in (bool[])[true, false])
            rows.Add(await MeasureAsync(() => ScanRun.Measure(device, file, isVerified)));
        console.Write(StreamResultRow.CreateTable(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;

        async Task<StreamResultRow> MeasureAsync(Func<StreamResultRow> measure)
        {
            List<StreamResultRow> iterations = [];
            for (int i = 0; i < arguments.Iterations; i++)
                iterations.Add(await Task.Run(measure, cancellationToken));
            return report.Add(iterations, row => row.PagesPerSecond, row => row.ToColumns());
        }
    }
}
