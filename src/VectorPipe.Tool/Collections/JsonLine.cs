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

    /// <summary>Reads a string.</summary>
    /// <param name="place">The line that holds it, for the error.</param>
    /// <exception cref="UsageException">It has half of a pair of surrogates, which is no character.</exception>
    public static string Text(JsonElement element, string place)
    {
        try
        {
            return element.GetString()!;
        }
        catch (InvalidOperationException e)
        {
            throw new UsageException($"{place}: expected a text; found half of a character in {element.GetRawText()}.", e);
        }
    }
}
