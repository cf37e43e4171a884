using VectorPipe.Bench.Ablations;
using VectorPipe.Bench.Builds;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench ablate</c>.</summary>
internal static class AblateBench
{
    public static async Task<int> RunAsync(AblateBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        IReadOnlyList<AblationStep> steps = AblationLadder.Named([.. arguments.Steps]);
        string parent = arguments.DataFolder;
        Directory.CreateDirectory(parent);
        BuildData data = await BuildData.PrepareAsync(arguments, parent, progress: null, cancellationToken);
        (VectorMatrix queries, Recall? recall) = await data.LoadQueriesAsync(arguments, cancellationToken);
        using BuildFolder? folder = arguments.Indexes is null ? new BuildFolder(parent) : null;
        string indexes = folder?.FullName ?? Directory.CreateDirectory(arguments.Indexes!).FullName;
        Action<string>? report = arguments.Quiet ? null : console.WriteLine;
        await AblationFamily.BuildAsync(
            arguments, data, indexes, steps.Select(step => step.Index).OfType<AblationIndex>().Distinct(),
            (index, built) => report?.Invoke(
                $"[build {index.Name}] {built.CpuSeconds:F1} cpu s, {built.WallSeconds:F1} s, {built.IndexBytes >> 20} MiB"),
            cancellationToken);

        IReadOnlyList<AblationRow> rows = await Task.Run(
            () => queries.ElementType switch
            {
                VectorElementType.Float32 => Measure<float>(),
                VectorElementType.Float16 => Measure<Half>(),
                VectorElementType.UInt8 => Measure<byte>(),
                _ => Measure<sbyte>(),
            },
            cancellationToken);

        await ReportAsync(arguments, console, data, steps, rows, cancellationToken);
        return ExitCodes.Ok;

        IReadOnlyList<AblationRow> Measure<T>()
            where T : unmanaged =>
            new AblationRun<T>(arguments, indexes, queries, recall!, console.Logging, report).Measure(steps, cancellationToken);
    }

    private static async Task ReportAsync(
        AblateBenchArguments arguments, ToolConsole console, BuildData data, IReadOnlyList<AblationStep> steps,
        IReadOnlyList<AblationRow> rows, CancellationToken cancellationToken)
    {
        string device = rows.FirstOrDefault(row => row.IsMeasured)?.Lower!.Search.Device ?? arguments.Device;
        var report = new BenchReport(arguments, device);
        foreach (AblationRow row in rows)
            report.Add([row], _ => 0, result => result.ToColumns());
        report.PrintConfiguration(console);
        foreach (double recall in arguments.Recalls)
            console.Write(AblationTable.Create(arguments.K, recall, rows.Where(row => row.WantedRecall == recall)));
        foreach (AblationStep step in steps)
            console.WriteLine($"{step.Name}: {(step.Index is null ? "skipped: " : "")}{step.Note}");
        await report.WriteAsync(console.Documents, cancellationToken);
        if (arguments.Chart is not null)
            await SvgChart.WriteAsync(
                AblationCharts.Create(arguments, $"{Path.GetFileName(data.Base)}, {device}", rows), arguments.Chart, cancellationToken);
    }
}
