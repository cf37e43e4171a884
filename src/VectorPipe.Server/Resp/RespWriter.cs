using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace VectorPipe.Server.Resp;

/// <summary>Writes a reply in the version of the protocol that the client speaks, 2 or 3.</summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="mostBytes">Most bytes of a reply.</param>
internal sealed class RespWriter(int mostBytes = RespWriter.MostBytes)
{
    /// <summary>Most bytes of a reply, unless another number is given.</summary>
    public const int MostBytes = 256 << 20;

    // A buffer that a large reply left is not kept: there are dozens a connection.
    private const int MostKeptBytes = 64 << 10;

    private ArrayBufferWriter<byte> _bytes = new(256);

    /// <summary>The version of the protocol.</summary>
    public int Version { get; set; } = 2;

    /// <summary>What was written.</summary>
    public ReadOnlySpan<byte> Written => _bytes.WrittenSpan;

    /// <inheritdoc cref="Written"/>
    /// <remarks>Valid until more is written.</remarks>
    public ReadOnlyMemory<byte> WrittenMemory => _bytes.WrittenMemory;

    public void Clear()
    {
        if (_bytes.Capacity > MostKeptBytes)
            _bytes = new ArrayBufferWriter<byte>(256);
        else
            _bytes.ResetWrittenCount();
    }

    public void Ok() => _bytes.Write("+OK\r\n"u8);

    /// <summary>A text without line ends.</summary>
    public void Simple(string text) => Line('+', text);

    /// <summary>An error: its code in capitals, and what was expected.</summary>
    public void Error(string text) => Line('-', text.ReplaceLineEndings(" "));

    public void Integer(long value) => Number(':', value);

    public void Bulk(ReadOnlySpan<byte> value)
    {
        if ((long)_bytes.WrittenCount + value.Length > mostBytes)
            throw new ReplyTooLongException(mostBytes);
        Number('$', value.Length);
        Bytes(value);
        End();
    }

    /// <summary>A number as a text, as commands have them.</summary>
    public void BulkInteger(long value)
    {
        Span<byte> digits = stackalloc byte[20];
        Utf8Formatter.TryFormat(value, digits, out int length);
        Bulk(digits[..length]);
    }

    public void Bulk(string value)
    {
        if (_bytes.WrittenCount > mostBytes)
            throw new ReplyTooLongException(mostBytes);
        Number('$', Encoding.UTF8.GetByteCount(value));
        Encoding.UTF8.GetBytes(value, _bytes);
        End();
    }

    public void Null() => _bytes.Write(Version == 3 ? "_\r\n"u8 : "$-1\r\n"u8);

    public void NullArray() => _bytes.Write(Version == 3 ? "_\r\n"u8 : "*-1\r\n"u8);

    /// <summary>A reply that is whole already, in the version of the client.</summary>
    public void Whole(ReadOnlySpan<byte> reply) => Bytes(reply);

    /// <summary>Begins an array of so many values.</summary>
    public void Array(int count) => Number('*', count);

    /// <summary>Begins a map of so many pairs, key before value; with version 2 an array of both.</summary>
    public void Map(int count)
    {
        if (Version == 3)
            Number('%', count);
        else
            Number('*', 2L * count);
    }

    /// <summary>Begins a set of so many values; with version 2 an array.</summary>
    public void Set(int count) => Number(Version == 3 ? '~' : '*', count);

    /// <summary>Begins values that come without a command that asked for them.</summary>
    public void Push(int count) => Number(Version == 3 ? '>' : '*', count);

    public void Boolean(bool value)
    {
        if (Version == 3)
            _bytes.Write(value ? "#t\r\n"u8 : "#f\r\n"u8);
        else
            Integer(value ? 1 : 0);
    }

    public void Double(double value)
    {
        Span<byte> text = stackalloc byte[32];
        int length = Format(value, text);
        if (Version == 3)
        {
            Byte(',');
            _bytes.Write(text[..length]);
            End();
        }
        else
        {
            Bulk(text[..length]);
        }
    }

    /// <summary>A number in full precision, shortest form.</summary>
    public static int Format(double value, Span<byte> destination)
    {
        if (double.IsNaN(value))
            return Encoding.ASCII.GetBytes("nan", destination);
        if (double.IsInfinity(value))
            return Encoding.ASCII.GetBytes(value > 0 ? "inf" : "-inf", destination);
        value.TryFormat(destination, out int length, "R", CultureInfo.InvariantCulture);
        destination[..length].Replace((byte)'E', (byte)'e');
        return length;
    }

    private void Line(char type, string text)
    {
        Byte(type);
        Encoding.UTF8.GetBytes(text, _bytes);
        End();
    }

    private void Number(char type, long value)
    {
        Span<byte> span = _bytes.GetSpan(24);
        span[0] = (byte)type;
        Utf8Formatter.TryFormat(value, span[1..], out int length);
        span[length + 1] = (byte)'\r';
        span[length + 2] = (byte)'\n';
        _bytes.Advance(length + 3);
    }

    // Room for all of them at once: piece by piece, the buffer would grow in steps, each with a copy.
    private void Bytes(ReadOnlySpan<byte> value)
    {
        value.CopyTo(_bytes.GetSpan(value.Length));
        _bytes.Advance(value.Length);
    }

    private void Byte(char value)
    {
        _bytes.GetSpan(1)[0] = (byte)value;
        _bytes.Advance(1);
    }

    private void End() => _bytes.Write("\r\n"u8);
}
