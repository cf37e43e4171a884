using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Measuring.Output;

/// <summary>Lines of comma-separated values (RFC 4180): numbers as in JSON, null as nothing, lists and objects as their JSON.</summary>
internal static class CsvLine
{
    public static string Of(IEnumerable<string> texts) => string.Join(',', texts.Select(Quoted));

    public static string Of(IEnumerable<JsonNode?> values) => Of(values.Select(value => value switch
    {
        null => "",
        JsonValue text when text.GetValueKind() == JsonValueKind.String => text.GetValue<string>(),
        _ => value.ToJsonString(),
    }));

    private static string Quoted(string text) =>
        text.AsSpan().ContainsAny(",\"\r\n") ? $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"" : text;
}
