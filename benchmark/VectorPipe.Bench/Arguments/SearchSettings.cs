using System.Globalization;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Arguments;

/// <summary>The settings of exact searches, and of an IVF index.</summary>
internal static class SearchSettings
{
    private static readonly int[] _probes = [4, 8, 16, 32];

    /// <summary>The setting of an exact search of a graph.</summary>
    public static SearchSetting ExactOfGraph(bool hasKnobs)
    {
        UsageException.Require(
            !hasKnobs, "--mode", "exact", "no --beam-width, --list-size, --threshold or --target-recall beside exact");
        return Exact;
    }

    /// <summary>The settings of an IVF index: probes or target recalls.</summary>
    public static IReadOnlyList<SearchSetting> OfLists(SearchMode mode, int[] probes, int? rerank, float[] targetRecalls)
    {
        if (mode == SearchMode.Exact)
        {
            bool hasKnobs = rerank is not null || probes.Length + targetRecalls.Length > 0;
            UsageException.Require(!hasKnobs, "--mode", "exact", "no --probes, --rerank or --target-recall beside exact");
            return [Exact];
        }

        UsageException.Require(
            targetRecalls.Length == 0 || probes.Length == 0, "--target-recall", string.Join(',', targetRecalls), "none beside --probes");
        if (targetRecalls.Length > 0)
        {
            var common = new SearchOptions { Mode = mode, Ivf = new IvfSearch { Rerank = rerank } };
            return [.. targetRecalls.Select(recall => Scan(
                common with { TargetRecall = recall }, $"recall {recall.ToString("G4", CultureInfo.InvariantCulture)}"))];
        }

        return
        [
            .. (probes.Length > 0 ? probes : _probes).Select(count => Scan(
                new SearchOptions { Mode = mode, Ivf = new IvfSearch { Probes = count, Rerank = rerank } }, $"{count}")),
        ];
    }

    private static SearchSetting Exact =>
        new() { Options = new SearchOptions { Mode = SearchMode.Exact }, Policy = "exact", Heading = "search", Knob = "exact" };

    private static SearchSetting Scan(SearchOptions options, string knob) => new()
    {
        Options = options,
        Policy = "probes",
        Heading = "probes",
        Knob = knob,
        ListSize = options.Ivf!.Rerank,
    };
}
