using System.Globalization;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Searches;

/// <summary>The settings that a measurement goes through: the values of a knob, one after another.</summary>
internal static class SearchSettings
{
    private static readonly int[] _probes = [4, 8, 16, 32];

    /// <summary>The setting of an exact search of a graph.</summary>
    /// <param name="hasKnobs">Whether options of a walk are given, too.</param>
    /// <exception cref="UsageException">They are.</exception>
    public static SearchSetting ExactOfGraph(bool hasKnobs)
    {
        if (hasKnobs)
        {
            throw new UsageException(
                "--mode exact: expected no --beam-width, --list-size, --threshold or --target-recall; every vector is compared.");
        }

        return Exact;
    }

    /// <summary>The settings of an index of lists, whose knob is the number of lists that are scanned.</summary>
    /// <param name="mode">How reads overlap computation.</param>
    /// <param name="probes">Lists that are scanned.</param>
    /// <param name="rerank">Vectors of coded lists that are ranked exactly; null for the default.</param>
    /// <param name="targetRecalls">Recalls to aim at, instead of probes.</param>
    /// <exception cref="UsageException">They do not go together.</exception>
    public static IReadOnlyList<SearchSetting> OfLists(SearchMode mode, int[] probes, int? rerank, float[] targetRecalls)
    {
        if (mode == SearchMode.Exact)
        {
            if (rerank is not null || probes.Length + targetRecalls.Length > 0)
                throw new UsageException("--mode exact: expected no --probes, --rerank or --target-recall; every vector is compared.");
            return [Exact];
        }

        if (targetRecalls.Length > 0 && probes.Length > 0)
            throw new UsageException("--target-recall: expected no --probes.");
        if (targetRecalls.Length > 0)
        {
            var common = new SearchOptions { Mode = mode, Ivf = new IvfSearch { Rerank = rerank } };
            return [.. targetRecalls.Select(recall => Scan(common with { TargetRecall = recall }, Show(recall)))];
        }

        return
        [
            .. (probes.Length > 0 ? probes : _probes).Select(count =>
                Scan(
                    new SearchOptions { Mode = mode, Ivf = new IvfSearch { Probes = count, Rerank = rerank } },
                    count.ToString(CultureInfo.InvariantCulture))),
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

    private static string Show(float recall) => $"recall {recall.ToString("G4", CultureInfo.InvariantCulture)}";
}
