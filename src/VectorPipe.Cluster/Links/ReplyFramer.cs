using System.Buffers;
using System.Buffers.Text;

namespace VectorPipe.Cluster.Links;

/// <summary>Finds where a reply of RESP ends, in bytes as they come. Each byte is looked at about once.</summary>
internal sealed class ReplyFramer
{
    private const int MostLineBytes = 64 << 10;

    // Values of the reply that are still to come, and bytes of it that were passed.
    private long _values = 1;
    private long _passed;

    /// <summary>Looks on.</summary>
    /// <param name="buffer">The bytes since the reply's first one.</param>
    /// <param name="length">The reply's length, if it is whole.</param>
    /// <returns>Whether it is; then the next one begins.</returns>
    /// <exception cref="InvalidDataException">The bytes are no reply.</exception>
    public bool TryFind(ReadOnlySequence<byte> buffer, out long length)
    {
        length = 0;
        while (_values > 0)
        {
            ReadOnlySequence<byte> rest = _passed <= buffer.Length ? buffer.Slice(_passed) : ReadOnlySequence<byte>.Empty;
            if (rest.PositionOf((byte)'\n') is not { } end)
            {
                return rest.Length <= MostLineBytes
                    ? false
                    : throw new InvalidDataException($"expected a line of a reply, found {rest.Length} bytes without an end");
            }

            ReadOnlySequence<byte> line = rest.Slice(0, end);
            (long values, long bytes) = Read(line);
            _values += values - 1;
            _passed += line.Length + 1 + bytes;
        }

        if (_passed > buffer.Length)
            return false;
        length = _passed;
        _values = 1;
        _passed = 0;
        return true;
    }

    // The values and the bytes that follow a line and belong to it.
    private static (long Values, long Bytes) Read(ReadOnlySequence<byte> line)
    {
        byte type = line.IsEmpty ? (byte)0 : line.FirstSpan[0];
        switch (type)
        {
            case (byte)'+' or (byte)'-' or (byte)':' or (byte)'_' or (byte)'#' or (byte)',' or (byte)'(':
                return (0, 0);
            case (byte)'$' or (byte)'=' or (byte)'!':
                long length = NumberOf(line);
                return (0, length < 0 ? 0 : length + 2);
            case (byte)'*' or (byte)'~' or (byte)'>':
                return (Math.Max(0, NumberOf(line)), 0);
            case (byte)'%':
                return (2 * NumberOf(line), 0);
            default:
                throw new InvalidDataException($"expected a reply, found byte {type}");
        }
    }

    private static long NumberOf(ReadOnlySequence<byte> line)
    {
        Span<byte> digits = stackalloc byte[24];
        ReadOnlySequence<byte> text = line.Slice(1);
        if (text.Length is < 2 or > 24)
            throw new InvalidDataException("expected a length of a reply, found none");
        text.CopyTo(digits);
        digits = digits[..((int)text.Length - 1)];
        return Utf8Parser.TryParse(digits, out long number, out int read) && read == digits.Length && number is >= -1 and <= int.MaxValue
            ? number
            : throw new InvalidDataException("expected a length of a reply, found another text");
    }
}
