using System.Diagnostics;
using System.Numerics;
using VectorPipe;

namespace QuickStart;

/// <summary>Builds, opens and searches an index, and compares results.</summary>
internal static class Demonstration
{
    private static readonly float[] _recalls = [0.8f, 0.9f, 0.95f, 0.98f, 0.99f, 0.995f];

    // A small index is not calibrated, so a search cannot aim at a recall.
    private static readonly int[] _listSizes = [10, 20, 30, 50, 100];

    /// <summary>Builds an index of the data in a temporary directory, opens it again, and searches it in both modes.</summary>
    public static async Task RunAsync<T>(DataSet<T> data, DistanceMetric metric, CancellationToken stop)
        where T : unmanaged, INumberBase<T>
    {
        Console.WriteLine(
            $"{data.Name}: {data.Count:N0} x {data.Dimension}, {data.QueryCount:N0} queries, {metric}; "
            + $"{Environment.ProcessorCount} processors");
        string directory = Directory.CreateTempSubdirectory("vectorpipe-").FullName;
        try
        {
            long start = Stopwatch.GetTimestamp();
            uint[][] truth = data.Truth ?? ExactSearch.Run(data, metric, Measurement.K, stop);
            Console.WriteLine(data.Truth is null
                ? $"true neighbours: {Stopwatch.GetElapsedTime(start).TotalSeconds:F1} s by brute force"
                : "true neighbours: from file");
            await BuildAsync(data, metric, directory, stop);
            await using VectorIndex index = await VectorIndex.OpenAsync(directory, cancellationToken: stop);
            Console.WriteLine(
                $"open: {index.Info.ElementType}, {index.Info.MemoryBytes / 1e6:F1} MB in memory, "
                + $"pages of {index.Info.PageSize} bytes, read through '{index.DeviceName}'");
            Compare(index, data, truth, stop);
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    private static async Task BuildAsync<T>(DataSet<T> data, DistanceMetric metric, string directory, CancellationToken stop)
        where T : unmanaged
    {
        // Half of the default degree makes the build faster, at the price of more reads.
        var options = new BuildOptions { Metric = metric, Graph = new GraphBuild { MaxDegree = 32 } };
        await using VectorSource source = VectorSource.FromMemory<T>(data.Rows, data.Dimension);
        BuildReport report = await VectorIndex.BuildAsync(directory, source, options, cancellationToken: stop);
        Console.WriteLine(
            $"build: {report.WallSeconds:F1} s, {report.IndexBytes / 1e6:F1} MB on disk, {report.MeanDegree:F1} links a node");
    }

    private static void Compare<T>(VectorIndex index, DataSet<T> data, uint[][] truth, CancellationToken stop)
        where T : unmanaged
    {
        (string Name, SearchOptions Options)[] settings = index.Info.Calibration.Count > 0
            ? [.. _recalls.Select(recall => ($"recall {recall}", new SearchOptions { TargetRecall = recall }))]
            : [.. _listSizes.Select(size => ($"list {size}", new SearchOptions { Graph = new GraphSearch { ListSize = size } }))];

        // The first searches include compilation, so they are not shown.
        foreach (SearchMode mode in (ReadOnlySpan<SearchMode>)[SearchMode.Beam, SearchMode.Pipelined])
            Measurement.Take(index, data, truth, settings[0].Options with { Mode = mode }, stop);

        Console.WriteLine();
        Console.WriteLine("aim at         mode        recall@10       QPS   mean us    p50 us    p99 us   reads/query");
        foreach ((string name, SearchOptions options) in settings)
        {
            foreach (SearchMode mode in (ReadOnlySpan<SearchMode>)[SearchMode.Beam, SearchMode.Pipelined])
            {
                Measurement m = Measurement.Take(index, data, truth, options with { Mode = mode }, stop);
                Console.WriteLine(
                    $"{name,-12}   {mode,-9}   {m.Recall,9:F4} {m.QueriesPerSecond,9:N0} {m.MeanUs,9:N0} {m.MedianUs,9:N0} "
                    + $"{m.P99Us,9:N0} {m.ReadsPerQuery,13:F1}");
            }
        }

        Console.WriteLine();
        Console.WriteLine("QPS: many queries in flight, one thread per processor. Latency: one query after another on one thread.");
    }
}
