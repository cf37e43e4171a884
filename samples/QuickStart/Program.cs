// Builds an index over vectors that it makes, searches it, and prints recall, latency and reads for each recall to aim at.
//   dotnet run -c Release --project samples/QuickStart [VECTORS]
using System.Diagnostics;
using System.Globalization;
using QuickStart;
using VectorPipe;

const int K = 10, QueryCount = 1_000, Least = 1_000, Most = 10_000_000;
int count = 100_000;
if (args.Length > 1 || (args.Length == 1 && !int.TryParse(args[0], CultureInfo.InvariantCulture, out count)) || count is < Least or > Most)
{
    await Console.Error.WriteLineAsync($"Usage: QuickStart [VECTORS]: {Least} to {Most} vectors; 100000 without an argument.");
    return 2;
}

// Ctrl+C cancels the run, so that it deletes its directory.
using var stop = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    stop.Cancel();
};
string directory = Directory.CreateTempSubdirectory("vectorpipe-").FullName;
try
{
    await RunAsync(count, directory, stop.Token);
    return 0;
}
catch (OperationCanceledException)
{
    await Console.Error.WriteLineAsync("Stopped.");
    return 130;
}
finally
{
    Directory.Delete(directory, recursive: true);
}

static async Task RunAsync(int count, string directory, CancellationToken stop)
{
    byte[] rows = SyntheticData.Create(count + QueryCount);
    Memory<byte> vectors = rows.AsMemory(0, count * SyntheticData.Dimension), queries = rows.AsMemory(vectors.Length);
    Console.WriteLine(
        $"{count:N0} vectors of {SyntheticData.Dimension} bytes, {QueryCount:N0} queries; {Environment.ProcessorCount} processors");

    // Half of the default degree makes the build faster, at the price of more reads.
    var options = new BuildOptions { Metric = DistanceMetric.L2, Graph = new GraphBuild { MaxDegree = 32 } };
    await using (VectorSource source = VectorSource.FromMemory<byte>(vectors, SyntheticData.Dimension))
    {
        BuildReport report = await VectorIndex.BuildAsync(directory, source, options, cancellationToken: stop);
        Console.WriteLine($"build: {report.WallSeconds:F1} s, {report.IndexBytes / 1e6:F1} MB on disk");
    }

    await using VectorIndex index = await VectorIndex.OpenAsync(directory, cancellationToken: stop);
    Console.WriteLine($"open: {index.Info.MemoryBytes / 1e6:F1} MB in memory, read through '{index.DeviceName}'");

    // An exact search reads all vectors; queries of a batch share its scans.
    SearchResult[] truth = await index.SearchBatchAsync<byte>(queries, K, new SearchOptions { Mode = SearchMode.Exact }, stop);
    Console.WriteLine("\naim at    recall@10  reads/query    p50 us    p99 us       QPS");
    foreach (float recall in (float[])[0.8f, 0.9f, 0.95f, 0.99f])
        await MeasureAsync(index, queries, truth, new SearchOptions { TargetRecall = recall }, stop);
    Console.WriteLine("\nLatency: one query after another. QPS: all queries at once, on the threads of the index.");
}

static async Task MeasureAsync(
    VectorIndex index, ReadOnlyMemory<byte> queries, SearchResult[] truth, SearchOptions options, CancellationToken stop)
{
    long start = Stopwatch.GetTimestamp();
    SearchResult[] results = await index.SearchBatchAsync(queries, K, options, stop);
    double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
    int found = results.Zip(truth, (result, best) => result.IntersectBy(best.Select(hit => hit.Key), hit => hit.Key).Count()).Sum();

    // The batch has compiled and warmed what these searches need.
    var latencies = new double[truth.Length];
    for (int i = 0; i < latencies.Length; i++)
    {
        start = Stopwatch.GetTimestamp();
        await index.SearchAsync(queries.Slice(i * SyntheticData.Dimension, SyntheticData.Dimension), K, options, stop);
        latencies[i] = Stopwatch.GetElapsedTime(start).TotalMicroseconds;
    }

    Array.Sort(latencies);
    Console.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{options.TargetRecall,-8} {(double)found / (K * truth.Length),10:F4} {results.Average(result => result.Statistics.Reads),12:F1} "
        + $"{latencies[latencies.Length / 2],9:N0} {latencies[latencies.Length * 99 / 100],9:N0} {truth.Length / seconds,9:N0}"));
}
