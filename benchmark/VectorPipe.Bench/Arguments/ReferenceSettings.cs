using System.Globalization;
using VectorPipe.Measuring.Searches;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Arguments;

/// <summary>The settings to measure on a graph: a policy, and the values of its knob.</summary>
internal static class ReferenceSettings
{
    private static readonly int[] _listSizes = [10, 20, 30];
    private static readonly float[] _gains = [0.3f, 0.1f, 0.03f];
    private static readonly float[] _ratios = [1, 0.9f, 0.8f];
    private static readonly float[] _patiences = [2, 5, 10];

    /// <summary>All settings, in the order of the options.</summary>
    /// <param name="common">The options that all settings share.</param>
    /// <param name="listSizes">List sizes; at most one for policies other than list.</param>
    /// <param name="thresholds">Thresholds; none for the policy list.</param>
    /// <param name="targetRecalls">Target recalls, for gain instead of thresholds.</param>
    public static IReadOnlyList<SearchSetting> Of(
        ReferenceSearch common, SearchPolicy policy, int[] listSizes, float[] thresholds, float[] targetRecalls)
    {
        common = common with { Policy = policy };
        if (policy == SearchPolicy.List)
        {
            if (thresholds.Length + targetRecalls.Length > 0)
                throw new UsageException("--threshold and --target-recall: expected none with the policy list; use --list-size.");
            return [.. (listSizes.Length > 0 ? listSizes : _listSizes).Select(size => Of(common with { ListSize = size }))];
        }

        UsageException.Require(
            listSizes.Length < 2, "--list-size", string.Join(',', listSizes),
            $"at most one with the policy {ReferenceChoices.NameOf(policy)}; use --threshold");
        if (listSizes.Length == 1)
            common = common with { ListSize = listSizes[0] };
        if (targetRecalls.Length > 0)
        {
            UsageException.Require(
                thresholds.Length == 0 && policy == SearchPolicy.Gain, "--target-recall", string.Join(',', targetRecalls),
                "none with --threshold, or with a policy other than gain");
            return [.. targetRecalls.Select(recall => Of(common with { TargetRecall = recall }))];
        }

        float[] defaults = policy == SearchPolicy.Gain ? _gains : policy == SearchPolicy.Ratio ? _ratios : _patiences;
        return [.. (thresholds.Length > 0 ? thresholds : defaults).Select(threshold => Of(common with { Threshold = threshold }))];
    }

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
