using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Bench.Comparisons;

/// <summary>Tells apart what the members of a result are: settings, which identify it, and figures, which are compared.</summary>
internal static class RowMembers
{
    // All other numbers are figures.
    private static readonly HashSet<string> _settings =
    [
        "threads", "build_threads", "connections", "queries_in_flight", "queries", "list_size", "threshold", "target_recall",
        "wanted_recall", "probes", "beam_width", "depth", "look_ahead", "read_bytes", "batch_size", "batch_mb", "memory_mb", "points",
        "dimension", "pages", "rows", "share", "selectivity",
    ];

    // All other texts are settings. The device is one of the whole configuration, and two devices may well be compared.
    private static readonly HashSet<string> _findings = ["device", "strategy", "skipped"];

    /// <summary>Whether a member identifies its row.</summary>
    public static bool IsSetting(string name, JsonNode? value) => _settings.Contains(name)
        || (KindOf(value) == JsonValueKind.String && !_findings.Contains(name) && !name.StartsWith("sha256_", StringComparison.Ordinal));

    /// <summary>Whether a member is a figure. The number of a step changes with the list of steps.</summary>
    public static bool IsFigure(string name, JsonNode? value) =>
        KindOf(value) == JsonValueKind.Number && !_settings.Contains(name) && name != "number";

    /// <summary>A value as it is in the file, but for the quotes of a text; a dash for none.</summary>
    public static string Show(JsonNode? value) =>
        value is null ? "-" : KindOf(value) == JsonValueKind.String ? value.ToString() : value.ToJsonString();

    private static JsonValueKind KindOf(JsonNode? value) => value?.GetValueKind() ?? JsonValueKind.Null;
}
