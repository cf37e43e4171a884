using System.Text.Json.Nodes;

namespace VectorPipe.Measuring.Searches;

/// <summary>One setting of a measurement: the options of the search, and their names in reports.</summary>
internal sealed record SearchSetting
{
    public required SearchOptions Options { get; init; }

    /// <summary>The policy that chooses pages and ends a search; null for the library's.</summary>
    public string? Policy { get; init; }

    /// <summary>The name of the option that differs between settings.</summary>
    public required string Heading { get; init; }

    /// <summary>The value of that option.</summary>
    public required string Knob { get; init; }

    /// <summary>List size of a graph search, or rerank of coded lists; null for the default.</summary>
    public int? ListSize { get; init; }

    public float? Threshold { get; init; }

    /// <summary>How the number of reads in flight changes during a search; null if the search has no such choice.</summary>
    public string? Width { get; init; }

    /// <summary>Most reads of a query in flight; null if unbounded.</summary>
    public int? BeamWidth { get; init; }

    /// <summary>The columns of a report. Only settings with a policy have columns for policy and width.</summary>
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

    private static JsonNode? Rounded(float? value) => value is { } number ? Math.Round(number, 6) : null;
}
