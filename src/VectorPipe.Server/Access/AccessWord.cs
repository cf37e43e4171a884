using System.Buffers;
using System.Globalization;

namespace VectorPipe.Server.Access;

/// <summary>Words that a file of users can hold: white space is what it has between them, and each user is a line.</summary>
internal static class AccessWord
{
    private static readonly SearchValues<char> _spaces = SearchValues.Create(" \t\r\n\v\f\0");

    /// <summary>What a text has that no word can have; null if it is one. An empty text is.</summary>
    public static string? FindError(string text)
    {
        if (text.AsSpan().ContainsAny(_spaces))
            return "spaces or null characters";
        foreach (char one in text)
        {
            if (char.IsWhiteSpace(one) || char.IsControl(one))
                return string.Create(CultureInfo.InvariantCulture, $"character U+{(int)one:X4}");
        }

        return null;
    }
}
