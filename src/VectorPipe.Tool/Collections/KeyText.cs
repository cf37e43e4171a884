using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Tool.Collections;

/// <summary>Keys as text and in JSON: integers are numbers there, Guids and strings are strings.</summary>
internal static class KeyText<TKey>
    where TKey : notnull, IParsable<TKey>
{
    /// <param name="place">Option or line that holds the text, for the error.</param>
    public static TKey Parse(string text, string place) =>
        TKey.TryParse(text, CultureInfo.InvariantCulture, out TKey? key)
            ? key
            : throw new UsageException($"{place}: expected a key of type {TypeName}; found '{text}'.");

    /// <summary>Reads a key from JSON; a string may hold any key.</summary>
    public static TKey FromJson(JsonElement element, string place) => Parse(
        element.ValueKind == JsonValueKind.String ? JsonLine.Text(element, place) : element.GetRawText(), place);

    public static string ToText(TKey key) => string.Create(CultureInfo.InvariantCulture, $"{key}");

    public static JsonNode ToJson(TKey key) => key switch
    {
        ulong number => JsonValue.Create(number),
        long number => JsonValue.Create(number),
        int number => JsonValue.Create(number),
        _ => JsonValue.Create(ToText(key)),
    };

    /// <summary>Name of the type, as create has it.</summary>
    public static string TypeName => typeof(TKey) switch
    {
        var type when type == typeof(ulong) => "ulong",
        var type when type == typeof(long) => "long",
        var type when type == typeof(int) => "int",
        var type when type == typeof(Guid) => "guid",
        _ => "string",
    };
}
