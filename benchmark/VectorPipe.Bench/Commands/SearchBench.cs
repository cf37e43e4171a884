using VectorPipe.Bench.Arguments;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Searches;
using VectorPipe.Indexes;
using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench search</c>.</summary>
internal static class SearchBench
{
    public static async Task<int> RunAsync(SearchBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        SearchFiles files = SearchFiles.Find(arguments);
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", files.Query, cancellationToken);
        string directory = await PrepareAsync(arguments, files, console, cancellationToken);
        OpenOptions options = arguments.ToOpenOptions(arguments.QueriesInFlight) with
        {
            LoggerFactory = console.Logging,
            ReadCostUs = arguments.ReadCostUs,
            SearchThreads = arguments.ThreadCounts.Max(),
        };
        if (arguments.ThrottleLimit is { } limit)
            options = options with { Device = options.Device with { QueueDepth = Math.Min(options.Device.QueueDepth ?? limit, limit) } };
        using MeasuredIndex index = await Task.Run(() => MeasuredIndex.Open(directory, options, cancellationToken), cancellationToken);
        queries.RequireKind("--query", index.Info.ElementType, index.Info.Dimension, directory);
        UsageException.Require(arguments.K <= index.Info.Count, "-k", arguments.K, $"1 to {index.Info.Count}, the vectors of the index");
        GroundTruth? truth = files.Truth is null ? null : await GroundTruth.LoadAsync(files.Truth, cancellationToken);
        Recall? recall = truth is null ? null : new Recall(truth, files.Truth!, queries.Count, arguments.K, index.Info.Metric);

        var report = new BenchReport(arguments, index.DeviceName);
        report.PrintConfiguration(console);
        IReadOnlyList<SearchBenchRow> rows = await Task.Run(
            () => queries.ElementType switch
            {
                VectorElementType.Float32 => Sweep<float>(arguments, index, queries, recall, report, console, cancellationToken),
                VectorElementType.Float16 => Sweep<Half>(arguments, index, queries, recall, report, console, cancellationToken),
                VectorElementType.UInt8 => Sweep<byte>(arguments, index, queries, recall, report, console, cancellationToken),
                _ => Sweep<sbyte>(arguments, index, queries, recall, report, console, cancellationToken),
            },
            cancellationToken);

        console.Write(SearchBenchTable.Create(arguments.K, rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        if (arguments.Chart is not null)
            await SvgChart.WriteAsync(SearchCharts.Create(arguments, index, rows), arguments.Chart, cancellationToken);
        return ExitCodes.Ok;
    }

    /// <summary>Finds the index, or builds one of the dataset.</summary>
    private static async Task<string> PrepareAsync(
        SearchBenchArguments arguments, SearchFiles files, ToolConsole console, CancellationToken cancellationToken)
    {
        string kind = arguments.Kind == "graph" ? "" : $"-{arguments.Kind}";
        string name = $"{Path.GetFileName(arguments.Dataset ?? files.Query)}-{arguments.Metric}{kind}.index";
        string directory = arguments.Index ?? Path.Combine(arguments.DataFolder, name);
        if (files.Base is null || MeasuredIndex.Exists(directory))
            return directory;
        await using VectorSource source = await VectorSource.OpenFileAsync(files.Base, cancellationToken);
        var builder = new VectorIndexBuilder(directory, arguments.ToBuildOptions(source.ElementType), console.Logging);
        await arguments.WithProgressAsync(console, progress => builder.BuildAsync(source, progress, cancellationToken));
        return directory;
    }

    private static List<SearchBenchRow> Sweep<T>(
        SearchBenchArguments arguments, MeasuredIndex index, VectorMatrix queries, Recall? recall, BenchReport report, ToolConsole console,
        CancellationToken cancellationToken)
        where T : unmanaged
    {
        AnswerCheck<T>? check = arguments.IsValidated ? new AnswerCheck<T>(index, queries, arguments.K) : null;
        var sweep = new SearchSweep<T>(
            index, queries, recall, check, arguments.K, arguments.QueriesInFlight, arguments.Rate, arguments.DeviceIops);
        TimeSpan warmUp = TimeSpan.FromSeconds(arguments.WarmUpSeconds ?? 0), measured = TimeSpan.FromSeconds(arguments.RunSeconds ?? 0);
        List<SearchBenchRow> rows = [];
        foreach (SearchCell cell in CellsOf(arguments, index.Info))
        {
            check?.Prepare(cell.Options, cancellationToken);
            List<SearchBenchRow> iterations = [];
            for (int i = 0; i < arguments.Iterations; i++)
            {
                if (arguments.Cold)
                    PageCacheEviction.Drop(index.Info);
                if (arguments.Warm)
                    sweep.Measure(cell, TimeSpan.Zero, TimeSpan.Zero, cancellationToken);
                SearchBenchRow row = sweep.Measure(cell, warmUp, measured, cancellationToken);
                string label = $"[run {cell.Mode} t={cell.Threads} {cell.Knob} i={i + 1}]";
                if (!arguments.Quiet)
                    console.WriteLine($"{label} {row.Search.Queries} queries, {row.Search.Qps:F0}/s");
                iterations.Add(row);
            }

            rows.Add(report.Add(iterations, row => row.Search.Qps, row => row.ToColumns()));
        }

        return rows;
    }

    private static IEnumerable<SearchCell> CellsOf(SearchBenchArguments arguments, IndexInfo info) =>
        from mode in IndexBenchArguments.ModesOf(info, arguments.Modes)
        from threads in arguments.ThreadCounts
        from setting in arguments.SettingsOf(info, Choices.Mode(mode))
        select new SearchCell(mode, threads, setting);
}
