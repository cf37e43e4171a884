using System.Text.Json.Nodes;

namespace VectorPipe.Measuring.Searches;

/// <summary>One setting of a measurement: the options, and the words in which reports name them.</summary>
internal sealed record SearchSetting
{
    /// <summary>How each query is searched.</summary>
    public required SearchOptions Options { get; init; }

    /// <summary>What says which pages are read, and when a search ends; null if the library chooses.</summary>
    public string? Policy { get; init; }

    /// <summary>The name of the knob that distinguishes the settings of a measurement.</summary>
    public required string Heading { get; init; }

    /// <summary>The value of its knob.</summary>
    public required string Knob { get; init; }

    /// <summary>Candidates that a query keeps, or vectors of coded lists that it ranks exactly; null if the library chooses.</summary>
    public int? ListSize { get; init; }

    /// <summary>The threshold; null without one.</summary>
    public float? Threshold { get; init; }

    /// <summary>How many reads of a query are in flight at which time; null where there is no such choice.</summary>
    public string? Width { get; init; }

    /// <summary>Most reads of a query in flight; null where there is no such bound.</summary>
    public int? BeamWidth { get; init; }

    /// <summary>Names and values of the columns of a report that describe the setting. Only settings with a policy have columns for
    /// policy and width.</summary>
    public IEnumerable<KeyValuePair<string, JsonNode?>> ToColumns()
    {
        if (Policy is not null)
            yield return new("policy", Policy);
        yield return new("list_size", ListSize);
        yield return new("threshold", Rounded(Threshold));
        yield return new("target_recall", Rounded(Options.TargetRecall));
        yield return new("probes", Options.Ivf?.Probes);
        if (Policy is not null)
            yield return new("width", Width);
        yield return new("beam_width", BeamWidth);
    }

    /// <summary>A number as reports show it; null stays null.</summary>
    public static JsonNode? Rounded(float? value) => value is { } number ? Math.Round(number, 6) : null;
}
