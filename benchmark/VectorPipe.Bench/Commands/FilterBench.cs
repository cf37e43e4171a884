using System.Runtime.InteropServices;
using VectorPipe.Bench.Filters;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Searches;
using VectorPipe.Indexes;
using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench filter</c>.</summary>
internal static class FilterBench
{
    public static async Task<int> RunAsync(FilterBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        VectorMatrix vectors = await VectorMatrix.LoadAsync("--base", arguments.Base, cancellationToken);
        int points = arguments.Points ?? vectors.Count;
        UsageException.Require(
            points <= vectors.Count && points >= 100, "--points", points, $"100 to {vectors.Count}, the rows of the base");
        vectors = vectors with { Count = points, Bytes = vectors.Bytes.AsSpan(0, points * vectors.RowBytes).ToArray() };
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", arguments.Query, cancellationToken);
        queries.RequireKind("--query", vectors.ElementType, vectors.Dimension, arguments.Base);
        queries = queries with { Count = Math.Min(queries.Count, arguments.Queries) };
        return await (vectors.ElementType switch
        {
            VectorElementType.Float32 => RunAsync<float>(arguments, console, vectors, queries, cancellationToken),
            VectorElementType.Float16 => RunAsync<Half>(arguments, console, vectors, queries, cancellationToken),
            VectorElementType.UInt8 => RunAsync<byte>(arguments, console, vectors, queries, cancellationToken),
            _ => RunAsync<sbyte>(arguments, console, vectors, queries, cancellationToken),
        });
    }

    private static async Task<int> RunAsync<T>(
        FilterBenchArguments arguments, ToolConsole console, VectorMatrix vectors, VectorMatrix queries,
        CancellationToken cancellationToken)
        where T : unmanaged
    {
        string directory = await PrepareAsync<T>(arguments, console, vectors, cancellationToken);
        var open = new OpenOptions
        {
            Device = arguments.ToDeviceOptions(),
            QueriesInFlight = arguments.QueriesInFlight,
            ReadCostUs = arguments.ReadCostUs,
            ExactUpTo = 0,
            LoggerFactory = console.Logging,
        };
        await using VectorIndex index = await VectorIndex.OpenAsync(directory, open, progress: null, cancellationToken);
        queries.RequireKind("--query", index.Info.ElementType, index.Info.Dimension, directory);
        UsageException.Require(
            index.Info.Count == vectors.Count, "--data-path", $"an index of {index.Info.Count} vectors", $"one of {vectors.Count}");
        var report = new BenchReport(arguments, index.DeviceName);
        report.PrintConfiguration(console);
        IReadOnlyList<FilterCase> cases = new FilterCases(vectors, queries, arguments.Seed).Create();
        FilterTruth truth = await Task.Run(
            () => FilterTruth.Find(cases, vectors, queries, arguments.K, index.Info.Metric, cancellationToken), cancellationToken);
        SearchOptions options = arguments.SearchMode == SearchMode.Exact
            ? new() { Mode = SearchMode.Exact }
            : new() { Mode = arguments.SearchMode, TargetRecall = arguments.TargetRecall };
        var run = new FilterRun<T>(index, queries, truth, arguments.K, options, arguments.ThreadCounts[0]);
        List<FilterResultRow> rows = [];
        for (int number = 0; number < cases.Count; number++)
        {
            int current = number;
            rows.Add(await report.MeasureAsync(
                () => run.Measure(current, cases[current]), row => row.Qps, row => row.ToColumns(), cancellationToken));
        }

        console.Write(FilterResultRow.CreateTable(rows));
        if (arguments.Chart is not null)
            await SvgChart.WriteAsync(FilterCharts.Create(arguments, index.DeviceName, rows), arguments.Chart, cancellationToken);
        await report.WriteAsync(console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }

    // Finds the index, or builds one of the vectors.
    private static async Task<string> PrepareAsync<T>(
        FilterBenchArguments arguments, ToolConsole console, VectorMatrix vectors, CancellationToken cancellationToken)
        where T : unmanaged
    {
        string name = $"{Path.GetFileName(arguments.Base)}-{vectors.Count}-{arguments.Metric}-{arguments.Kind}.index";
        string directory = arguments.Index ?? Path.Combine(arguments.DataFolder, name);
        if (MeasuredIndex.Exists(directory))
            return directory;
        T[] rows = MemoryMarshal.Cast<byte, T>(vectors.Bytes).ToArray();
        await using VectorSource source = VectorSource.FromMemory(rows, vectors.Dimension);
        var options = new BuildOptions
        {
            Metric = Choices.Metric(arguments.Metric),
            Seed = arguments.Seed,
            Ivf = arguments.IsIvf ? new IvfBuild() : null,
        };
        var builder = new VectorIndexBuilder(directory, options, console.Logging);
        await arguments.WithProgressAsync(console, progress => builder.BuildAsync(source, progress, cancellationToken));
        return directory;
    }
}
