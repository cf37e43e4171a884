using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Tool.Collections;

/// <summary>Payloads in JSON: <c>payload</c> is a text, <c>payload_base64</c> any bytes.</summary>
internal static class PayloadText
{
    public const string TextName = "payload", BytesName = "payload_base64";

    private static readonly UTF8Encoding _strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Reads the payload of a record.</summary>
    /// <param name="name">The name that was found.</param>
    /// <param name="place">The line that holds it, for the error.</param>
    public static byte[] Parse(string name, JsonElement value, string place)
    {
        if (name == TextName && value.ValueKind == JsonValueKind.String)
            return _strict.GetBytes(JsonLine.Text(value, place));
        if (name == BytesName && value.ValueKind == JsonValueKind.String && value.TryGetBytesFromBase64(out byte[]? bytes))
            return bytes;
        string expected = name == TextName ? "a text" : "bytes in base 64";
        throw new UsageException($"{place}: expected {expected} as {name}; found {value.GetRawText()}.");
    }

    /// <summary>Adds a payload to a row, as text if it is one.</summary>
    public static void Add(JsonObject row, ReadOnlySpan<byte> payload)
    {
        if (TryDecode(payload) is { } text)
            row[TextName] = text;
        else
            row[BytesName] = Convert.ToBase64String(payload);
    }

    /// <summary>A payload for people.</summary>
    public static string Describe(ReadOnlySpan<byte> payload) => TryDecode(payload) ?? $"({payload.Length} bytes)";

    private static string? TryDecode(ReadOnlySpan<byte> payload)
    {
        try
        {
            return _strict.GetString(payload);
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }
}
