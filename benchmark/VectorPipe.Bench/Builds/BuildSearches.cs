using Microsoft.Extensions.Logging;
using VectorPipe.Bench.Arguments;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Builds;

/// <summary>Searches a new index on one thread, one query at a time, so that the latency is a single query's.</summary>
internal static class BuildSearches
{
    /// <summary>Measures every mode and setting, in the order of the options.</summary>
    public static async Task<IReadOnlyList<SearchResultRow>> MeasureAsync(
        BuildBenchArguments arguments, string directory, BuildData data, ILoggerFactory logging, CancellationToken cancellationToken)
    {
        (VectorMatrix queries, Recall? recall) = await data.LoadQueriesAsync(arguments, cancellationToken);
        OpenOptions options = arguments.ToOpenOptions(queriesInFlight: 1) with { LoggerFactory = logging };
        await using VectorIndex index = await VectorIndex.OpenAsync(directory, options, cancellationToken: cancellationToken);
        return await Task.Run(
            () => queries.ElementType switch
            {
                VectorElementType.Float32 => Measure<float>(arguments, index, queries, recall, cancellationToken),
                VectorElementType.Float16 => Measure<Half>(arguments, index, queries, recall, cancellationToken),
                VectorElementType.UInt8 => Measure<byte>(arguments, index, queries, recall, cancellationToken),
                _ => Measure<sbyte>(arguments, index, queries, recall, cancellationToken),
            },
            cancellationToken);
    }

    private static List<SearchResultRow> Measure<T>(
        BuildBenchArguments arguments, VectorIndex index, VectorMatrix queries, Recall? recall, CancellationToken cancellationToken)
        where T : unmanaged
    {
        var run = new SearchRun<T>(index.OpenSession, queries, arguments.K, threads: 1);
        List<SearchResultRow> rows = [];
        foreach (string mode in IndexBenchArguments.ModesOf(index.Info, arguments.Modes))
        {
            foreach (SearchSetting setting in arguments.SettingsOf(index.Info, Choices.Mode(mode), arguments.Others))
            {
                SearchMeasurement measured = run.Measure(setting.Options, cancellationToken);
                double? found = recall?.Of(measured.Hits, measured.Statistics);
                rows.Add(SearchResultRow.Create(measured, index.Info.Kind, setting, found, queriesInFlight: 1, index.DeviceName));
            }
        }

        return rows;
    }
}
