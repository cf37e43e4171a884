using System.Text.Json;

namespace VectorPipe.Tool.Collections;

/// <summary>Lines of JSON.</summary>
internal static class JsonLine
{
    /// <summary>Bytes of a character in UTF-8, at most.</summary>
    public const int BytesPerChar = 3;

    /// <summary>Reads a line.</summary>
    /// <param name="place">Its number, for the error.</param>
    public static JsonDocument Parse(string line, string place)
    {
        try
        {
            return JsonDocument.Parse(line);
        }
        catch (JsonException e)
        {
            throw new UsageException($"{place}: expected an object of JSON; found none: {e.Message}", e);
        }
    }
}
