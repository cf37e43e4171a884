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
    // Enough to compile the code of a build.
    private const int WarmUpPoints = 1000;

    public static async Task<int> RunAsync(BuildBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        var report = new BenchReport(arguments, arguments.Device);
        report.PrintConfiguration(console);
        string parent = arguments.DataFolder;
        Directory.CreateDirectory(parent);
        BuildData data = await arguments.WithProgressAsync(
            console, progress => BuildData.PrepareAsync(arguments, parent, progress, cancellationToken));

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
            BuildOptions options = variant.ToOptions(arguments, data.ElementType);
            BuildMeasurement build = await arguments.WithProgressAsync(
                console, progress => BuildMeasurement.RunAsync(
                    variant, options, data.Base, directory, progress, console.Logging, cancellationToken));
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

    /// <summary>Runs small builds, so that the time and memory of compilation do not count as the build's.</summary>
    private static async Task WarmUpAsync(BuildBenchArguments arguments, BuildData data, string folder, CancellationToken cancellationToken)
    {
        string vectors = Path.Combine(folder, $"warm-up{RowFile.ExtensionOf(data.ElementType)}");
        await new SyntheticVectors("uniform", data.ElementType, data.Dimension, arguments.Seed)
            .WriteAsync(vectors, WarmUpPoints, VectorStream.Base, progress: null, cancellationToken);
        IEnumerable<BuildVariant> variants = arguments.Variants.DistinctBy(
            variant => (variant.Kind, variant.Algorithm, variant.Layout, variant.Code, variant.MemoryMb == 0));
        foreach (BuildVariant variant in variants)
        {
            string directory = Path.Combine(folder, "warm-up");

            // The wanted number of lists may be more than these vectors.
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
            "memory: peak of the process less the memory before the build; read, written: bytes of the process; %, points: difference from "
            + "the first variant; searches: one thread, one query at a time");
    }
}
