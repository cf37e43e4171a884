using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Tool.Collections;

/// <summary>Attributes as an object of JSON: truth values, numbers, strings, and lists of strings.</summary>
internal static class AttributeJson
{
    // NaN and the infinities are strings in JSON.
    private const NumberStyles DoubleStyles = NumberStyles.Float;

    /// <summary>Reads the attributes of a record; null is the same as none, for all of them and for each.</summary>
    /// <param name="place">The line that holds them, for the error.</param>
    public static AttributeSet Parse(JsonElement attributes, CollectionSchema schema, string place)
    {
        if (attributes.ValueKind == JsonValueKind.Null)
            return [];
        if (attributes.ValueKind != JsonValueKind.Object)
            throw new UsageException($"{place}: expected an object of attributes; found {attributes.ValueKind}.");
        AttributeSet set = [];
        foreach (JsonProperty property in attributes.EnumerateObject())
        {
            AttributeDefinition definition = schema.Attributes.FirstOrDefault(attribute => attribute.Name == property.Name)
                ?? throw new UsageException($"{place}: expected attributes of the schema; found '{property.Name}'.");
            if (property.Value.ValueKind == JsonValueKind.Null)
                continue;
            set[property.Name] = ValueOf(property.Value, definition.Type, place) ?? throw new UsageException(
                $"{place}: expected a {CollectionChoices.NameOf(definition.Type)} as attribute '{property.Name}'; found "
                + $"{property.Value.GetRawText()}.");
        }

        return set;
    }

    public static JsonObject ToJson(AttributeSet attributes) => new(
        attributes.OrderBy(attribute => attribute.Key, StringComparer.Ordinal)
            .Select(attribute => KeyValuePair.Create(attribute.Key, ToJson(attribute.Value))));

    private static JsonNode? ToJson(AttributeValue value) => value.Type switch
    {
        AttributeType.Boolean => value.AsBoolean(),
        AttributeType.Int64 => value.AsInt64(),
        AttributeType.Double when double.IsFinite(value.AsDouble()) => value.AsDouble(),
        AttributeType.StringSet => new JsonArray([.. value.AsStringSet().Select(item => JsonValue.Create(item))]),
        _ => value.ToString(),
    };

    // Null alone would be a string, which converts to a value.
    private static AttributeValue? None => null;

    private static AttributeValue? ValueOf(JsonElement element, AttributeType type, string place) => (type, element.ValueKind) switch
    {
        (AttributeType.Boolean, JsonValueKind.True or JsonValueKind.False) => element.GetBoolean(),
        (AttributeType.Int64, JsonValueKind.Number) => element.TryGetInt64(out long number) ? number : None,
        (AttributeType.Double, JsonValueKind.Number) => element.GetDouble(),
        (AttributeType.Double, JsonValueKind.String) =>
            double.TryParse(JsonLine.Text(element, place), DoubleStyles, CultureInfo.InvariantCulture, out double number) ? number : None,
        (AttributeType.String, JsonValueKind.String) => JsonLine.Text(element, place),
        (AttributeType.Guid, JsonValueKind.String) => element.TryGetGuid(out Guid guid) ? guid : None,
        (AttributeType.DateTimeOffset, JsonValueKind.String) => Time(element) ?? None,
        (AttributeType.StringSet, JsonValueKind.Array) when element.EnumerateArray().All(item => item.ValueKind == JsonValueKind.String) =>
            AttributeValue.StringSet(element.EnumerateArray().Select(item => JsonLine.Text(item, place))),
        _ => None,
    };

    // A time without a zone counts as UTC, as in filters: a file means the same on every machine.
    private static AttributeValue? Time(JsonElement element)
    {
        if (!element.TryGetDateTimeOffset(out DateTimeOffset time))
            return null;
        return element.TryGetDateTime(out DateTime clock) && clock.Kind == DateTimeKind.Unspecified
            ? new DateTimeOffset(clock, TimeSpan.Zero)
            : time;
    }
}
