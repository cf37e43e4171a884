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
    /// <summary>Measures reads in order of completion, streams of every look-ahead, and scans.</summary>
    public static async Task<int> RunAsync(StreamsBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        PageFile file = await arguments.WithProgressAsync(console, progress => Task.Run(
            () => PageFile.OpenOrCreate(arguments.DataFolder, PageCodec.PageUnit, arguments.PageCount, progress, cancellationToken),
            cancellationToken));
        using IDevice device =
            DeviceFactory.Open([file.FilePath], arguments.ToDeviceOptions(), console.Logging.CreateLogger(nameof(StreamsBench)));
        var report = new BenchReport(arguments, device.Name);
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

        Task<StreamResultRow> MeasureAsync(Func<StreamResultRow> measure) =>
            report.MeasureAsync(measure, row => row.PagesPerSecond, row => row.ToColumns(), cancellationToken);
    }
}
