using System.Text;
using System.Text.Json.Nodes;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;
using VectorPipe.Tool.Hits;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe search</c>.</summary>
internal static class SearchCommand
{
    public static async Task<int> RunAsync(SearchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        arguments.Check();
        VectorMatrix queries = await VectorInput.LoadQueriesAsync("--query", arguments.Query, console, cancellationToken);
        GroundTruth? truth = arguments.Truth is null ? null : await TruthInput.LoadAsync(arguments.Truth, cancellationToken);
        await using VectorIndex index =
            await VectorIndex.OpenAsync(arguments.Index, arguments.ToOpenOptions(console), cancellationToken: cancellationToken);
        queries.RequireKind("--query", index.Info.ElementType, index.Info.Dimension, arguments.Index);
        UsageException.Require(arguments.K <= index.Info.Count, "-k", arguments.K, $"1 to {index.Info.Count}, the vectors of the index");
        IReadOnlyList<SearchSetting> settings = SearchSettings.Of(arguments, index.Info);
        UsageException.Require(
            arguments.Out is null || settings.Count == 1, "--out", $"{settings.Count} settings", "one setting, whose hits are saved");
        Recall? recall = truth is null ? null : new Recall(truth, arguments.Truth!, queries.Count, arguments.K, index.Info.Metric);

        List<SearchResultRow> rows = await (queries.ElementType switch
        {
            VectorElementType.Float32 => MeasureAsync<float>(arguments, index, queries, settings, recall, console, cancellationToken),
            VectorElementType.Float16 => MeasureAsync<Half>(arguments, index, queries, settings, recall, console, cancellationToken),
            VectorElementType.UInt8 => MeasureAsync<byte>(arguments, index, queries, settings, recall, console, cancellationToken),
            _ => MeasureAsync<sbyte>(arguments, index, queries, settings, recall, console, cancellationToken),
        });

        console.Write(SearchResultTable.Create(arguments.K, rows));
        string load = $"{queries.Count} queries, threads: {rows[0].Threads}, in flight on each: {arguments.QueriesInFlight}";
        console.WriteLine($"{load}; {rows[0].Mode}; device {index.DeviceName}");
        if (index.CacheStatistics is { Bytes: > 0 } cache)
        {
            string extent = $"{(cache.IsResident ? "resident" : "partial")}, {cache.Pages} pages in {cache.Bytes >> 20} MiB";
            console.WriteLine($"cache: {extent}, hit rate {cache.HitRate:P1}, {cache.Evictions} evictions");
        }

        await console.WriteDocumentAsync(
            ToJson(arguments, index.DeviceName, rows), rows.Select(row => new JsonObject(row.ToColumns())));
        return ExitCodes.Ok;
    }

    private static async Task<List<SearchResultRow>> MeasureAsync<T>(
        SearchArguments arguments, VectorIndex index, VectorMatrix queries, IReadOnlyList<SearchSetting> settings, Recall? recall,
        ToolConsole console, CancellationToken cancellationToken)
        where T : unmanaged
    {
        var run = new SearchRun<T>(index.OpenSession, queries, arguments.K, arguments.Threads);
        List<SearchResultRow> rows = [];
        foreach (SearchSetting setting in settings)
        {
            if (rows.Count == 0 && arguments.Trace is { } path)
                await TraceAsync(run, setting.Options, path, console, cancellationToken);
            SearchMeasurement measured = run.Measure(setting.Options, cancellationToken);
            double? found = recall?.Of(measured.Hits, measured.Statistics);
            rows.Add(SearchResultRow.Create(measured, index.Info.Kind, setting, found, arguments.QueriesInFlight, index.DeviceName));
            if (arguments.Out is { } file)
                await SaveAsync(file, measured, arguments.K, console, cancellationToken);
        }

        return rows;
    }

    private static async Task TraceAsync<T>(
        SearchRun<T> run, SearchOptions options, string path, ToolConsole console, CancellationToken cancellationToken)
        where T : unmanaged
    {
        await using Stream stream = path == OutputFile.StandardOutput ? new MemoryStream() : File.Create(path);
        run.Trace(options, stream, cancellationToken);
        if (stream is MemoryStream trace)
            await console.Documents.WriteLineAsync(Encoding.UTF8.GetString(trace.GetBuffer(), 0, (int)trace.Length));
    }

    private static async Task SaveAsync(
        string path, SearchMeasurement measured, int k, ToolConsole console, CancellationToken cancellationToken)
    {
        var shape = new HitShape(measured.Statistics.Length, k, Include.Key, default);
        await using IHitWriter<ulong> writer = HitWriters.Create<ulong>(path, console, shape);
        for (int query = 0; query < shape.Queries; query++)
        {
            var hits = new ArraySegment<SearchHit>(measured.Hits, query * k, measured.Statistics[query].Hits);
            await writer.WriteAsync(query, [.. hits.Select(hit => new KeyHit<ulong>(hit.Key, hit.Score))], cancellationToken);
        }

        await writer.CompleteAsync(cancellationToken);
    }

    private static JsonObject ToJson(SearchArguments arguments, string device, List<SearchResultRow> rows)
    {
        JsonObject configuration = OptionsReport.Create(arguments);
        configuration["host"] = HostFacts.ToJson();
        configuration["device"] = device;
        configuration["commit"] = HostFacts.Commit;
        return new JsonObject
        {
            ["configuration"] = configuration,
            ["results"] = new JsonArray([.. rows.Select(row => new JsonObject(row.ToColumns()))]),
        };
    }
}
