using VectorPipe.Measuring.Searches;

namespace VectorPipe.Tool.Commands;

/// <summary>The settings to measure, from the options of a search.</summary>
internal static class SearchSettings
{
    private static readonly float[] _sweep = [0.8f, 0.9f, 0.95f, 0.98f, 0.99f];

    /// <summary>All settings, in the order of the options.</summary>
    public static IReadOnlyList<SearchSetting> Of(SearchArguments arguments, IndexInfo info)
    {
        float[] recalls = [.. arguments.TargetRecalls];
        if (arguments.Sweep)
        {
            UsageException.Require(recalls.Length == 0, "--sweep", "given", "none beside --target-recall");
            recalls = _sweep;
        }

        RefuseOtherKind(arguments, info.Kind);
        bool hasKnob = arguments.Probes.Any() || arguments.Thresholds.Any() || arguments.ListSizes.Any();
        UsageException.Require(
            recalls.Length == 0 || !hasKnob, "--target-recall", string.Join(',', recalls),
            "none beside --threshold, --list-size or --probes");
        var common = new SearchOptions { Mode = Choices.Mode(arguments.Mode) };
        if (common.Mode == SearchMode.Exact)
        {
            UsageException.Require(
                recalls.Length == 0 && !hasKnob && arguments.BeamWidth is null && arguments.Rerank is null, "--mode", "exact",
                "no --target-recall, --threshold, --list-size, --beam-width, --probes or --rerank beside exact");
            return [Setting(common, "mode", "exact")];
        }

        return info.Kind == IndexKind.Ivf ? OfLists(arguments, common, recalls) : OfGraph(arguments, common, recalls);
    }

    private static List<SearchSetting> OfGraph(SearchArguments arguments, SearchOptions common, float[] recalls)
    {
        UsageException.Require(
            !arguments.Thresholds.Any() || !arguments.ListSizes.Any(), "--list-size", string.Join(',', arguments.ListSizes),
            "none beside --threshold");
        var walk = new GraphSearch { BeamWidth = arguments.BeamWidth };
        if (arguments.Thresholds.Any())
        {
            return [.. arguments.Thresholds.Select(threshold =>
                Setting(common with { Graph = walk with { Threshold = threshold } }, "threshold", $"{threshold:G4}"))];
        }

        if (arguments.ListSizes.Any())
            return [.. arguments.ListSizes.Select(size => Setting(common with { Graph = walk with { ListSize = size } }, "L", $"{size}"))];

        // Any graph options, even empty ones, would turn off the exact search of a small collection.
        return OfRecalls(arguments.BeamWidth is null ? common : common with { Graph = walk }, recalls);
    }

    private static List<SearchSetting> OfLists(SearchArguments arguments, SearchOptions common, float[] recalls)
    {
        var scan = new IvfSearch { Rerank = arguments.Rerank };
        return arguments.Probes.Any()
            ? [.. arguments.Probes.Select(probes => Setting(common with { Ivf = scan with { Probes = probes } }, "probes", $"{probes}"))]
            : OfRecalls(arguments.Rerank is null ? common : common with { Ivf = scan }, recalls);
    }

    private static List<SearchSetting> OfRecalls(SearchOptions common, float[] recalls) =>
    [
        .. (recalls.Length > 0 ? recalls : [SearchOptions.DefaultTargetRecall])
            .Select(recall => Setting(common with { TargetRecall = recall }, "target recall", $"{recall:G4}")),
    ];

    private static SearchSetting Setting(SearchOptions options, string heading, string knob) => new()
    {
        Options = options,
        Heading = heading,
        Knob = knob,
        ListSize = options.Graph?.ListSize ?? options.Ivf?.Rerank,
        Threshold = options.Graph?.Threshold,
        BeamWidth = options.Graph?.BeamWidth,
    };

    private static void RefuseOtherKind(SearchArguments arguments, IndexKind kind)
    {
        const string lists = "none for an IVF index", graph = "none for a graph";
        bool isIvf = kind == IndexKind.Ivf;
        UsageException.Require(!isIvf || !arguments.Thresholds.Any(), "--threshold", string.Join(',', arguments.Thresholds), lists);
        UsageException.Require(!isIvf || !arguments.ListSizes.Any(), "--list-size", string.Join(',', arguments.ListSizes), lists);
        UsageException.Require(!isIvf || arguments.BeamWidth is null, "--beam-width", arguments.BeamWidth, lists);
        UsageException.Require(isIvf || !arguments.Probes.Any(), "--probes", string.Join(',', arguments.Probes), graph);
        UsageException.Require(isIvf || arguments.Rerank is null, "--rerank", arguments.Rerank, graph);
    }
}
