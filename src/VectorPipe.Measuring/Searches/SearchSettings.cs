using VectorPipe.Searching;

namespace VectorPipe.Measuring.Searches;

/// <summary>The settings that a measurement goes through: a policy, and the values of its knob.</summary>
internal static class SearchSettings
{
    private static readonly int[] _listSizes = [10, 20, 30];
    private static readonly int[] _probes = [4, 8, 16, 32];
    private static readonly float[] _gains = [0.3f, 0.1f, 0.03f];
    private static readonly float[] _ratios = [1, 0.9f, 0.8f];
    private static readonly float[] _patiences = [2, 5, 10];

    /// <summary>All settings, in the order in which they were named.</summary>
    /// <param name="common">What they share.</param>
    /// <param name="policy">Name of the policy; null for the default of the index.</param>
    /// <param name="isCalibrated">Whether the index was calibrated.</param>
    /// <param name="listSizes">List sizes; of the other policies one at most.</param>
    /// <param name="thresholds">Thresholds; none with the policy list.</param>
    /// <param name="targetRecalls">Recalls to aim at, with the policy gain and instead of thresholds.</param>
    /// <exception cref="UsageException">They do not go together.</exception>
    public static IReadOnlyList<SearchOptions> Of(SearchOptions common, string? policy, bool isCalibrated, int[] listSizes, float[] thresholds, float[] targetRecalls)
    {
        if (common.Mode == SearchMode.Exact)
        {
            if (policy is not null || listSizes.Length + thresholds.Length + targetRecalls.Length > 0)
                throw new UsageException("--mode exact: expected no --policy, --list-size, --threshold or --target-recall; every vector is compared.");
            return [common];
        }

        SearchPolicy chosen = policy is not null ? Choices.Policy(policy) : isCalibrated && listSizes.Length == 0 ? SearchPolicy.Gain : SearchPolicy.List;
        common = common with { Policy = chosen };
        if (chosen == SearchPolicy.List)
        {
            if (thresholds.Length > 0)
                throw new UsageException("--threshold: expected none with the policy list, whose knob is --list-size.");
            return [.. (listSizes.Length > 0 ? listSizes : _listSizes).Select(size => common with { ListSize = size })];
        }

        if (listSizes.Length > 1)
            throw new UsageException($"--list-size: expected one size at most with the policy {chosen}, whose knob is --threshold, found {listSizes.Length}.");
        if (listSizes.Length == 1)
            common = common with { ListSize = listSizes[0] };
        if (targetRecalls.Length > 0)
        {
            if (thresholds.Length > 0 || chosen != SearchPolicy.Gain)
                throw new UsageException("--target-recall: expected the policy gain and no --threshold.");
            return [.. targetRecalls.Select(recall => common with { TargetRecall = recall })];
        }

        float[] defaults = chosen == SearchPolicy.Gain ? _gains : chosen == SearchPolicy.Ratio ? _ratios : _patiences;
        return [.. (thresholds.Length > 0 ? thresholds : defaults).Select(threshold => common with { Threshold = threshold })];
    }

    /// <summary>The settings of an index that is a graph; see <see cref="Of"/>.</summary>
    /// <exception cref="UsageException">They do not go together.</exception>
    public static IReadOnlyList<SearchOptions> OfGraph(SearchOptions common, int[] probes, string? policy, bool isCalibrated, int[] listSizes, float[] thresholds, float[] targetRecalls) =>
        probes.Length == 0 ? Of(common, policy, isCalibrated, listSizes, thresholds, targetRecalls) : throw new UsageException("--probes: expected none for an index that is a graph.");

    /// <summary>The settings of an index of lists, whose knob is the number of lists that are scanned.</summary>
    /// <param name="common">What they share.</param>
    /// <param name="probes">Lists that are scanned.</param>
    /// <param name="policy">None.</param>
    /// <param name="listSizes">Vectors that are ranked exactly: one number at most.</param>
    /// <param name="thresholds">Thresholds: one at most.</param>
    /// <param name="targetRecalls">Recalls to aim at, instead of probes and thresholds.</param>
    /// <exception cref="UsageException">They do not go together.</exception>
    public static IReadOnlyList<SearchOptions> OfLists(SearchOptions common, int[] probes, string? policy, int[] listSizes, float[] thresholds, float[] targetRecalls)
    {
        if (policy is not null)
            throw new UsageException("--policy: expected none for an index of lists, whose knob is --probes.");
        if (common.Mode == SearchMode.Exact)
        {
            if (probes.Length + listSizes.Length + thresholds.Length + targetRecalls.Length > 0)
                throw new UsageException("--mode exact: expected no --probes, --list-size, --threshold or --target-recall; every vector is compared.");
            return [common];
        }

        if (targetRecalls.Length > 0 && probes.Length + thresholds.Length > 0)
            throw new UsageException("--target-recall: expected no --probes and no --threshold.");
        if (listSizes.Length > 1 || thresholds.Length > 1)
            throw new UsageException("--list-size and --threshold: expected one value each at most for an index of lists, whose knob is --probes.");
        if (listSizes.Length == 1)
            common = common with { ListSize = listSizes[0] };
        if (thresholds.Length == 1)
            common = common with { Threshold = thresholds[0] };
        if (targetRecalls.Length > 0)
            return [.. targetRecalls.Select(recall => common with { TargetRecall = recall })];
        return [.. (probes.Length > 0 ? probes : _probes).Select(count => common with { Probes = count })];
    }

    /// <summary>The name of what says what is read next, and when a search ends.</summary>
    public static string PolicyOf(SearchOptions options, IndexKind kind) =>
        options.Mode == SearchMode.Exact ? "exact" : kind == IndexKind.Ivf ? "probes" : Choices.NameOf(options.Policy ?? SearchPolicy.List);

    /// <summary>The value of a setting's knob.</summary>
    public static string Knob(SearchOptions options) =>
        options.Mode == SearchMode.Exact ? "exact" :
        options.Probes is { } probes ? $"{probes}" :
        options.TargetRecall is { } recall ? $"recall {recall:G4}" : options.Policy == SearchPolicy.List ? $"{options.ListSize}" : $"{options.Threshold:G4}";
}
