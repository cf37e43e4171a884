using System.Buffers.Text;

namespace VectorPipe.Server.Resp;

/// <summary>Reads a reply of a node, in version 2 of the protocol, value by value.</summary>
internal struct ReplyReader(ReadOnlyMemory<byte> reply)
{
    private int _at;

    /// <summary>The number of values of the array that comes next.</summary>
    /// <exception cref="InvalidDataException">Something else comes. All others throw it, too.</exception>
    public int Array() => checked((int)Number('*'));

    public long Integer() => Number(':');

    /// <summary>The text that comes next; null if it is the null.</summary>
    public ReadOnlyMemory<byte>? Bulk()
    {
        int length = checked((int)Number('$'));
        if (length < 0)
            return null;
        ReadOnlyMemory<byte> text = reply.Slice(_at, length);
        _at += length + 2;
        return text;
    }

    /// <summary>The number, written as a text, that comes next.</summary>
    public double Double() =>
        Bulk() is { } text && Utf8Parser.TryParse(text.Span, out double value, out int read) && read == text.Length
            ? value
            : throw new InvalidDataException("expected a number in a reply of a node, found another text");

    /// <summary>Whether an integer comes next.</summary>
    public readonly bool IsInteger => reply.Span[_at..].StartsWith(":"u8);

    /// <summary>Whether the null comes next.</summary>
    public readonly bool IsNull => reply.Span[_at..].StartsWith("$-1"u8);

    /// <summary>The line that comes next.</summary>
    public ReadOnlySpan<byte> Simple() => Line('+');

    private long Number(char type)
    {
        ReadOnlySpan<byte> line = Line(type);
        return Utf8Parser.TryParse(line, out long number, out int read) && read == line.Length
            ? number
            : throw new InvalidDataException($"expected a number behind '{type}' in a reply of a node, found another text");
    }

    private ReadOnlySpan<byte> Line(char type)
    {
        ReadOnlySpan<byte> rest = reply.Span[_at..];
        int end = rest.IndexOf("\r\n"u8);
        if (end < 1 || rest[0] != type)
        {
            string found = rest.IsEmpty ? "its end" : $"'{(char)rest[0]}'";
            throw new InvalidDataException($"expected '{type}' in a reply of a node, found {found}");
        }

        _at += end + 2;
        return rest[1..end];
    }
}
