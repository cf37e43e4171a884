using System.Globalization;
using VectorPipe.Measuring.Searches;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Searches;

/// <summary>The settings that a measurement of a graph goes through: a policy, and the values of its knob.</summary>
internal static class ReferenceSettings
{
    private static readonly int[] _listSizes = [10, 20, 30];
    private static readonly float[] _gains = [0.3f, 0.1f, 0.03f];
    private static readonly float[] _ratios = [1, 0.9f, 0.8f];
    private static readonly float[] _patiences = [2, 5, 10];

    /// <summary>All settings, in the order in which they were named.</summary>
    /// <param name="common">The options that they share.</param>
    /// <param name="policy">The policy.</param>
    /// <param name="listSizes">List sizes; of the other policies one at most, the candidates that are kept.</param>
    /// <param name="thresholds">Thresholds; none by list.</param>
    /// <param name="targetRecalls">Recalls to aim at, by gain and instead of thresholds.</param>
    /// <exception cref="UsageException">They do not go together.</exception>
    public static IReadOnlyList<SearchSetting> Of(
        ReferenceSearch common, SearchPolicy policy, int[] listSizes, float[] thresholds, float[] targetRecalls)
    {
        common = common with { Policy = policy };
        if (policy == SearchPolicy.List)
        {
            if (thresholds.Length + targetRecalls.Length > 0)
                throw new UsageException("--threshold and --target-recall: expected none with the policy list, whose knob is --list-size.");
            return [.. (listSizes.Length > 0 ? listSizes : _listSizes).Select(size => Of(common with { ListSize = size }))];
        }

        if (listSizes.Length > 1)
        {
            throw new UsageException(
                $"--list-size: expected one size at most with the policy {ReferenceChoices.NameOf(policy)}, whose knob is --threshold, "
                + $"found {listSizes.Length}.");
        }

        if (listSizes.Length == 1)
            common = common with { ListSize = listSizes[0] };
        if (targetRecalls.Length > 0)
        {
            if (thresholds.Length > 0 || policy != SearchPolicy.Gain)
                throw new UsageException("--target-recall: expected the policy gain and no --threshold.");
            return [.. targetRecalls.Select(recall => Of(common with { TargetRecall = recall }))];
        }

        float[] defaults = policy == SearchPolicy.Gain ? _gains : policy == SearchPolicy.Ratio ? _ratios : _patiences;
        return [.. (thresholds.Length > 0 ? thresholds : defaults).Select(threshold => Of(common with { Threshold = threshold }))];
    }

    /// <summary>One setting.</summary>
    public static SearchSetting Of(ReferenceSearch search) => new()
    {
        Options = search,
        Policy = ReferenceChoices.NameOf(search.EffectivePolicy),
        Heading = search.EffectivePolicy switch
        {
            SearchPolicy.Gain => "gain",
            SearchPolicy.Ratio => "ratio",
            SearchPolicy.Relaxed => "patience",
            _ => "L",
        },
        Knob = search.TargetRecall is { } recall
            ? $"recall {recall.ToString("G4", CultureInfo.InvariantCulture)}"
            : search.Knob.ToString("G4", CultureInfo.InvariantCulture),
        ListSize = search.ListSize,
        Threshold = search.Threshold,
        Width = ReferenceChoices.NameOf(search.EffectiveWidth),
        BeamWidth = search.EffectiveBeamWidth,
    };
}
