using System.Globalization;
using System.Text;

namespace VectorPipe.Filters.Text;

/// <summary>Writes names and values as the lexer reads them.</summary>
internal static class LiteralPrinter
{
    /// <summary>Appends a name, in brackets if it is no plain word.</summary>
    public static void AppendName(StringBuilder text, string name)
    {
        bool isWord = Keywords.StartsWord(name[0]) && name.All(Keywords.GoesOnWithWord) && !Keywords.Contain(name);
        if (isWord)
            text.Append(name);
        else
            AppendQuoted(text, name, '[', ']');
    }

    /// <summary>Appends a canonical value.</summary>
    public static void AppendValue(StringBuilder text, AttributeValue value)
    {
        switch (value.Type)
        {
            case AttributeType.String:
                AppendQuoted(text, value.AsString(), '"', '"');
                break;
            case AttributeType.Guid:
                text.Append(CultureInfo.InvariantCulture, $"{Keywords.Guid}'{value.AsGuid():D}'");
                break;
            case AttributeType.DateTimeOffset:
                text.Append(Keywords.Time).Append('\'')
                    .Append(value.AsDateTimeOffset().UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK", CultureInfo.InvariantCulture))
                    .Append('\'');
                break;
            case AttributeType.Double:
                // A double that is no 64-bit integer: its shortest text has a decimal point or an exponent, unless it is large.
                string number = value.AsDouble().ToString("R", CultureInfo.InvariantCulture);
                text.Append(number).Append(number.AsSpan().IndexOfAny('.', 'E') < 0 ? ".0" : "");
                break;
            default:
                text.Append(value.ToString());
                break;
        }
    }

    private static void AppendQuoted(StringBuilder text, string content, char opening, char closing)
    {
        text.Append(opening);
        foreach (char unit in content)
        {
            if (unit == closing || unit == '\\')
                text.Append('\\').Append(unit);
            else if (char.IsControl(unit))
                text.Append(CultureInfo.InvariantCulture, $"\\u{(int)unit:X4}");
            else
                text.Append(unit);
        }

        text.Append(closing);
    }
}
