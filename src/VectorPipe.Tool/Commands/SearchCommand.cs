using System.Text.Json.Nodes;
using Microsoft.Extensions.Logging;
using VectorPipe.Formats;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;
using VectorPipe.Numerics;
using VectorPipe.Searching;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe search</c>.</summary>
internal static class SearchCommand
{
    /// <summary>Measures every list size and reports.</summary>
    public static async Task<int> RunAsync(SearchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        Check(arguments);
        using ILoggerFactory? logging = arguments.Verbose ? LogToStandardError() : null;
        var options = new OpenOptions
        {
            Device = arguments.ToDeviceOptions(),
            QueriesInFlight = arguments.QueriesInFlight,

            // The index's own threads do not search here; those that do share the device, which is what a read costs a query by.
            SearchThreads = arguments.Threads,
            CacheBytes = (long)arguments.CacheMb << 20,
            CachePolicy = Choices.Caching(arguments.CachePolicy),
            ReadCostUs = arguments.ReadCostUs,
            LoggerFactory = logging,
        };
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", arguments.Query, cancellationToken);
        GroundTruth? truth = arguments.Truth is null ? null : await GroundTruth.LoadAsync(arguments.Truth, cancellationToken);
        await using VectorIndex index = await VectorIndex.OpenAsync(arguments.Index, options, cancellationToken);
        queries.RequireKind("--query", index.Info.ElementType, index.Info.Dimension, arguments.Index);
        UsageException.Require(arguments.K <= index.Info.Count, "-k", arguments.K, $"1 to {index.Info.Count}, the vectors of the index");
        Recall? recall = truth is null ? null : new Recall(truth, arguments.Truth!, queries.Count, arguments.K, index.Info.Metric);

        List<SearchResultRow> rows = queries.ElementType switch
        {
            VectorElementType.Float32 => Measure<float>(arguments, index, queries, recall, cancellationToken),
            VectorElementType.Float16 => Measure<Half>(arguments, index, queries, recall, cancellationToken),
            VectorElementType.UInt8 => Measure<byte>(arguments, index, queries, recall, cancellationToken),
            _ => Measure<sbyte>(arguments, index, queries, recall, cancellationToken),
        };

        console.Write(SearchResultTable.Create(arguments.K, rows));
        console.WriteLine(
            $"{queries.Count} queries on {rows[0].Threads} threads, {arguments.QueriesInFlight} in flight each; {arguments.Mode}, width {rows[0].Options.MostReadsWith(rows[0].Policy)} {Choices.NameOf(rows[0].Options.WidthWith(rows[0].Policy))}; device {index.DeviceName}");
        if (index.CacheStatistics is { Bytes: > 0 } cache)
            console.WriteLine($"cache: {(cache.IsResident ? "resident" : arguments.CachePolicy)}, {cache.Pages} pages in {cache.Bytes >> 20} MiB, hit rate {cache.HitRate:P1}, {cache.Evictions} evictions");
        await OutputFile.WriteJsonAsync(arguments.Json, ToJson(arguments, index.DeviceName, rows), cancellationToken);
        await OutputFile.WriteCsvAsync(arguments.Csv, rows.Select(row => row.ToColumns()), cancellationToken);
        return ExitCodes.Ok;
    }

    private static List<SearchResultRow> Measure<T>(
        SearchArguments arguments, VectorIndex index, VectorMatrix queries, Recall? recall, CancellationToken cancellationToken)
        where T : unmanaged
    {
        var run = new SearchRun<T>(index.OpenSession, queries, arguments.K, arguments.Threads);
        List<SearchResultRow> rows = [];
        var common = new SearchOptions { BeamWidth = arguments.BeamWidth, Width = arguments.Width is { } width ? Choices.Width(width) : null, Mode = Choices.Mode(arguments.Mode), FollowFactor = arguments.FollowFactor };
        IReadOnlyList<SearchOptions> settings = index.Info.Kind == IndexKind.Ivf
            ? SearchSettings.OfLists(common, [.. arguments.Probes], arguments.Policy, [.. arguments.ListSizes], [.. arguments.Thresholds], [.. arguments.TargetRecalls])
            : SearchSettings.OfGraph(common, [.. arguments.Probes], arguments.Policy, index.Info.Calibration.Count > 0, [.. arguments.ListSizes], [.. arguments.Thresholds], [.. arguments.TargetRecalls]);
        foreach (SearchOptions options in settings)
        {
            if (rows.Count == 0 && arguments.Trace is not null)
                run.Trace(options, arguments.Trace, cancellationToken);
            SearchMeasurement measured = run.Measure(options, cancellationToken);
            rows.Add(SearchResultRow.Create(
                measured, index.Info.Kind, options, recall?.Of(measured.Hits, measured.Statistics), arguments.QueriesInFlight, arguments.Mode, index.DeviceName));
        }

        return rows;
    }

    /// <summary>What can be refused before a large index is opened, is.</summary>
    private static void Check(SearchArguments arguments)
    {
        Choices.Mode(arguments.Mode);
        if (arguments.Width is { } width)
            Choices.Width(width);
        Choices.Caching(arguments.CachePolicy);
        UsageException.Require(arguments.K >= 1, "-k", arguments.K, "1 or more");
        foreach (int listSize in arguments.ListSizes)
            UsageException.Require(listSize >= arguments.K && listSize <= 65_536, "--list-size", listSize, $"k ({arguments.K}) to 65536");
        foreach (int probes in arguments.Probes)
            UsageException.Require(probes >= 1, "--probes", probes, "1 or more");
        foreach (float threshold in arguments.Thresholds)
            UsageException.Require(threshold is > 0 and <= 100, "--threshold", threshold, "above 0, at most 100");
        foreach (float recall in arguments.TargetRecalls)
            UsageException.Require(recall is >= 0.5f and <= 0.9999f, "--target-recall", recall, "0.5 to 0.9999");
        UsageException.Require(arguments.FollowFactor is null or >= 1, "--follow-factor", arguments.FollowFactor, "1 or more");
        UsageException.Require(arguments.BeamWidth is null or (>= 1 and <= 256), "--beam-width", arguments.BeamWidth, "1 to 256");
        UsageException.Require(arguments.Threads is >= 1 and <= 1024, "--threads", arguments.Threads, "1 to 1024");
        UsageException.Require(arguments.QueriesInFlight is >= 1 and <= 1024, "--queries-in-flight", arguments.QueriesInFlight, "1 to 1024");
        UsageException.Require(arguments.CacheMb >= 0, "--cache-mb", arguments.CacheMb, "0 or more");
        OutputFile.RequireFolder(arguments.Trace);
        OutputFile.RequireFolder(arguments.Json);
        OutputFile.RequireFolder(arguments.Csv);
    }

    private static ILoggerFactory LogToStandardError() => LoggerFactory.Create(builder => builder
        .SetMinimumLevel(LogLevel.Debug)
        .AddConsole(console => console.LogToStandardErrorThreshold = LogLevel.Trace));

    private static JsonObject ToJson(SearchArguments arguments, string device, List<SearchResultRow> rows) => new()
    {
        ["configuration"] = new JsonObject
        {
            ["index"] = arguments.Index,
            ["query"] = arguments.Query,
            ["truth"] = arguments.Truth,
            ["k"] = arguments.K,
            ["policy"] = arguments.Policy,
            ["probes"] = new JsonArray([.. arguments.Probes.Select(probes => JsonValue.Create(probes))]),
            ["list_size"] = new JsonArray([.. arguments.ListSizes.Select(size => JsonValue.Create(size))]),
            ["threshold"] = new JsonArray([.. arguments.Thresholds.Select(threshold => JsonValue.Create(Math.Round(threshold, 6)))]),
            ["target_recall"] = new JsonArray([.. arguments.TargetRecalls.Select(recall => JsonValue.Create(Math.Round(recall, 6)))]),
            ["follow_factor"] = arguments.FollowFactor is { } factor ? Math.Round(factor, 6) : null,
            ["mode"] = arguments.Mode,
            ["beam_width"] = arguments.BeamWidth,
            ["width"] = arguments.Width,
            ["threads"] = arguments.Threads,
            ["queries_in_flight"] = arguments.QueriesInFlight,
            ["device_requested"] = arguments.Device,
            ["queue_depth"] = arguments.QueueDepth,
            ["submit_every"] = arguments.SubmitEvery,
            ["poll_us"] = arguments.PollUs,
            ["latency_us"] = arguments.LatencyUs,
            ["cache_mb"] = arguments.CacheMb,
            ["cache_policy"] = arguments.CachePolicy,
            ["read_cost_us"] = arguments.ReadCostUs,
            ["host"] = HostFacts.ToJson(),
            ["device"] = device,
            ["commit"] = HostFacts.Commit,
        },
        ["results"] = new JsonArray([.. rows.Select(row => new JsonObject(row.ToColumns()))]),
    };
}
