using System.Text.Json.Nodes;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;
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
        Recall? recall = truth is null ? null : new Recall(truth, arguments.Truth!, queries.Count, arguments.K, index.Info.Metric);

        List<SearchResultRow> rows = queries.ElementType switch
        {
            VectorElementType.Float32 => Measure<float>(arguments, index, queries, settings, recall, cancellationToken),
            VectorElementType.Float16 => Measure<Half>(arguments, index, queries, settings, recall, cancellationToken),
            VectorElementType.UInt8 => Measure<byte>(arguments, index, queries, settings, recall, cancellationToken),
            _ => Measure<sbyte>(arguments, index, queries, settings, recall, cancellationToken),
        };

        console.Write(SearchResultTable.Create(arguments.K, rows));
        string load = $"{queries.Count} queries on {rows[0].Threads} threads, {arguments.QueriesInFlight} in flight each";
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

    private static List<SearchResultRow> Measure<T>(
        SearchArguments arguments, VectorIndex index, VectorMatrix queries, IReadOnlyList<SearchSetting> settings, Recall? recall,
        CancellationToken cancellationToken)
        where T : unmanaged
    {
        var run = new SearchRun<T>(index.OpenSession, queries, arguments.K, arguments.Threads);
        List<SearchResultRow> rows = [];
        foreach (SearchSetting setting in settings)
        {
            if (rows.Count == 0 && arguments.Trace is not null)
                run.Trace(setting.Options, arguments.Trace, cancellationToken);
            SearchMeasurement measured = run.Measure(setting.Options, cancellationToken);
            double? found = recall?.Of(measured.Hits, measured.Statistics);
            rows.Add(SearchResultRow.Create(measured, index.Info.Kind, setting, found, arguments.QueriesInFlight, index.DeviceName));
        }

        return rows;
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
