using System.Globalization;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>Values of columns as text.</summary>
internal static class CellText
{
    // Characters of a value in an error.
    private const int Shown = 80;

    /// <summary>The value; numbers are the same in every culture.</summary>
    public static string Of<T>(T value) => value switch
    {
        ReadOnlyMemory<char> text => new string(text.Span),
        IFormattable formattable => formattable.ToString(null, CultureInfo.InvariantCulture),
        _ => $"{value}",
    };

    /// <summary>An error about a value.</summary>
    public static UsageException Misfit<T>(string place, Column column, string expected, T found)
    {
        string text = Of(found);
        if (text.Length > Shown)
            text = text[..Shown] + "...";
        return new UsageException($"{place}, column '{column.Name}': expected {expected}; found '{text}'.");
    }
}
