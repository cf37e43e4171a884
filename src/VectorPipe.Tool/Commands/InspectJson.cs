using System.Text.Json.Nodes;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary>Descriptions of indexes and collections, for JSON and CSV.</summary>
internal static class InspectJson
{
    public static JsonObject Of(IndexInfo info) => new()
    {
        ["kind"] = Choices.NameOf(info.Kind),
        ["generation"] = info.Generation,
        ["metric"] = Choices.NameOf(info.Metric),
        ["type"] = Choices.NameOf(info.ElementType),
        ["dimension"] = info.Dimension,
        ["vectors"] = info.Count,
        ["page_bytes"] = info.PageSize,
        ["memory_bytes"] = info.MemoryBytes,
        ["disk_bytes"] = info.DiskBytes,
        ["details"] = Details(info.Details),
        ["calibration"] = new JsonArray([.. CalibrateCommand.ToRows(info)]),
    };

    public static JsonObject Of(CollectionInfo info) => new()
    {
        ["kind"] = "collection",
        ["key_type"] = CollectionChoices.NameOf(info.KeyType),
        ["metric"] = Choices.NameOf(info.Schema.Metric),
        ["type"] = Choices.NameOf(info.Schema.ElementType),
        ["dimension"] = info.Schema.Dimension,
        ["attributes"] = new JsonObject(info.Schema.Attributes.Select(
            attribute => KeyValuePair.Create(attribute.Name, (JsonNode?)CollectionChoices.NameOf(attribute.Type)))),
        ["details"] = Details(info.Details),
        ["index"] = info.Index is null ? null : Of(info.Index),
    };

    /// <summary>A row for each property, with a dot between the name of an object and that of its property.</summary>
    public static IEnumerable<JsonObject> Properties(JsonObject document, string prefix) => document.SelectMany(
        property => property.Value is JsonObject inner
            ? Properties(inner, $"{prefix}{property.Key}.")
            : [new JsonObject { ["property"] = prefix + property.Key, ["value"] = property.Value?.DeepClone() }]);

    private static JsonObject Details(IEnumerable<KeyValuePair<string, string>> details) =>
        new(details.Select(detail => KeyValuePair.Create(detail.Key, (JsonNode?)detail.Value)));
}
