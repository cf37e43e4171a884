using System.Buffers;

namespace VectorPipe.Server.Resp;

/// <summary>Commands in one line, as a person types them: words between blanks, or between quotation marks.</summary>
internal static class InlineCommand
{
    /// <summary>Splits a line.</summary>
    /// <returns>False if it has no word.</returns>
    /// <exception cref="RespProtocolException">A quotation mark is not closed, or something follows at once.</exception>
    public static bool Read(ReadOnlySequence<byte> line, RespCommand command)
    {
        ReadOnlySpan<byte> text = line.IsSingleSegment ? line.FirstSpan : line.ToArray();
        while (true)
        {
            while (!text.IsEmpty && IsBlank(text[0]))
                text = text[1..];
            if (text.IsEmpty)
                return command.Count > 0;
            text = ReadWord(text, command);
            command.EndArgument();
        }
    }

    // Quotation marks may begin within a word; behind their end a blank must follow.
    private static ReadOnlySpan<byte> ReadWord(ReadOnlySpan<byte> text, RespCommand command)
    {
        while (!text.IsEmpty && !IsBlank(text[0]))
        {
            if (text[0] is (byte)'"' or (byte)'\'')
            {
                text = ReadQuoted(text[1..], text[0], command);
                if (!text.IsEmpty && !IsBlank(text[0]))
                    throw Unbalanced();
                return text;
            }

            command.Append(text[..1]);
            text = text[1..];
        }

        return text;
    }

    private static ReadOnlySpan<byte> ReadQuoted(ReadOnlySpan<byte> text, byte mark, RespCommand command)
    {
        while (!text.IsEmpty)
        {
            if (text[0] == mark)
                return text[1..];
            int taken = 1;
            byte value = text[0];
            if (value == '\\' && text.Length > 1)
                (value, taken) = Unescape(text, mark);
            command.Append([value]);
            text = text[taken..];
        }

        throw Unbalanced();
    }

    // Between single quotation marks only the mark itself can be escaped.
    private static (byte Value, int Taken) Unescape(ReadOnlySpan<byte> text, byte mark)
    {
        if (mark == '\'')
            return text[1] == '\'' ? ((byte)'\'', 2) : ((byte)'\\', 1);
        if (text[1] == 'x' && text.Length > 3 && char.IsAsciiHexDigit((char)text[2]) && char.IsAsciiHexDigit((char)text[3]))
            return (Convert.FromHexString([(char)text[2], (char)text[3]])[0], 4);
        byte value = text[1] switch
        {
            (byte)'n' => (byte)'\n',
            (byte)'r' => (byte)'\r',
            (byte)'t' => (byte)'\t',
            (byte)'b' => (byte)'\b',
            (byte)'a' => (byte)'\a',
            _ => text[1],
        };
        return (value, 2);
    }

    private static bool IsBlank(byte value) => value is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\v' or (byte)'\f' or 0;

    private static RespProtocolException Unbalanced() => new("unbalanced quotes in request");
}
