using VectorPipe.Bench.Builds;
using VectorPipe.Bench.Generation;
using VectorPipe.Bench.Reports;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench build</c>.</summary>
internal static class BuildBench
{
    /// <summary>Enough for the code of a build to be compiled.</summary>
    private const int WarmUpPoints = 1000;

    /// <summary>Builds every variant, searches it, and reports.</summary>
    public static async Task<int> RunAsync(BuildBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        var report = new BenchReport(arguments, arguments.Device);
        if (!arguments.Quiet)
            report.PrintConfiguration(console);
        string parent = DataFolder.Of(arguments);
        Directory.CreateDirectory(parent);
        BuildData data =
            await WithProgressAsync(arguments, console, progress => BuildData.PrepareAsync(arguments, parent, progress, cancellationToken));

        using var folder = new BuildFolder(parent);
        await WarmUpAsync(arguments, data, folder.FullName, cancellationToken);
        List<BuildResultRow> builds = [];
        List<BuildSearchRow> searches = [];
        IReadOnlyList<SearchResultRow>? firstSearches = null;
        var columns = new ColumnUnion();
        foreach (BuildVariant variant in arguments.Variants)
        {
            if (!arguments.Quiet)
                console.WriteLine($"[build {builds.Count + 1} of {arguments.Variants.Count}] {variant.Label}");
            string directory = Path.Combine(folder.FullName, $"{builds.Count + 1}-{variant.Label}");
            BuildMeasurement build = await WithProgressAsync(
                arguments, console, progress =>
                BuildMeasurement.RunAsync(
                    variant, variant.ToOptions(arguments, data.ElementType), data.Base, directory, progress, console.Logging,
                    cancellationToken));
            var row = new BuildResultRow(build, builds.Count == 0 ? build : builds[0].Build);
            builds.Add(row);
            columns.Add(row.ToColumns());
            report.Add([row], _ => 0, result => columns.Align(result.ToColumns()));

            IReadOnlyList<SearchResultRow> found = data.Query is null
                ? []
                : await BuildSearches.MeasureAsync(arguments, directory, data, console.Logging, cancellationToken);
            firstSearches ??= found;
            foreach (SearchResultRow search in found)
            {
                var searchRow = new BuildSearchRow(variant, search, firstSearches.FirstOrDefault(first => first.Setting == search.Setting));
                searches.Add(searchRow);
                columns.Add(searchRow.ToColumns());
                report.Add([searchRow], _ => 0, result => columns.Align(result.ToColumns()));
            }

            if (!arguments.Keep)
                Directory.Delete(directory, recursive: true);
        }

        Show(arguments, console, builds, searches);
        await report.WriteAsync(console.Documents, cancellationToken);
        if (arguments.Keep)
        {
            folder.Keep();
            console.WriteLine($"indexes: {folder.FullName}");
        }

        return ExitCodes.Ok;
    }

    /// <summary>
    /// Small builds that do not count: code that is compiled for the first time takes time and memory too, and those are not the build's.
    /// </summary>
    private static async Task WarmUpAsync(BuildBenchArguments arguments, BuildData data, string folder, CancellationToken cancellationToken)
    {
        string vectors = Path.Combine(folder, $"warm-up{RowFile.ExtensionOf(data.ElementType)}");
        await new SyntheticVectors("uniform", data.ElementType, data.Dimension, arguments.Seed)
            .WriteAsync(vectors, WarmUpPoints, VectorStream.Base, progress: null, cancellationToken);
        foreach (
            BuildVariant variant in arguments.Variants.DistinctBy(
                variant => (variant.Kind, variant.Algorithm, variant.Layout, variant.Code, variant.MemoryMb == 0)))
        {
            string directory = Path.Combine(folder, "warm-up");

            // As many lists as were asked for may be more than there are vectors here.
            BuildOptions options = variant.ToOptions(arguments, data.ElementType);
            await BuildMeasurement.RunAsync(
                variant, options with { Ivf = options.Ivf is { } ivf ? ivf with { Lists = null } : null }, vectors, directory,
                progress: null, logging: null, cancellationToken);
            Directory.Delete(directory, recursive: true);
        }

        File.Delete(vectors);
    }

    private static void Show(BuildBenchArguments arguments, ToolConsole console, List<BuildResultRow> builds, List<BuildSearchRow> searches)
    {
        console.Write(BuildTables.OfBuilds(builds));
        console.Write(BuildTables.OfPhases(builds));
        console.Write(BuildTables.OfFiles(builds));
        if (searches.Count > 0)
            console.Write(BuildTables.OfSearches(arguments.K, searches));
        console.WriteLine(
            "memory: peak of the process above what it held before the build; read, written: bytes of the process; %, points: above the "
            + "first variant; searches: one thread, one query at a time");
    }

    private static Task<T> WithProgressAsync<T>(
        BuildBenchArguments arguments, ToolConsole console, Func<IProgress<BuildProgress>?, Task<T>> work) =>
        arguments.Quiet ? work(null) : console.WithProgressAsync(work);
}
