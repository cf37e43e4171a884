using System.Buffers;
using System.Buffers.Text;

namespace VectorPipe.Server.Resp;

/// <summary>Reads commands from bytes as they come: arrays of bulk strings, or lines of words.</summary>
/// <remarks>
/// What was read of a command is kept, so each byte is looked at once however a command is split. The grammar is that of
/// https://redis.io/docs/latest/develop/reference/protocol-spec, errors are those of Redis.
/// </remarks>
internal sealed class RespParser
{
    private const int NoBulk = -1;

    // Arguments that are still to come; 0 between commands.
    private int _arguments;

    // Bytes of the present argument that are still to come, without its line end.
    private int _bulk = NoBulk;

    /// <summary>What a command may take.</summary>
    public RespLimits Limits { get; set; } = RespLimits.Unauthenticated;

    /// <summary>Reads on.</summary>
    /// <param name="buffer">The bytes that came; begins behind those that were read when this returns.</param>
    /// <param name="command">Receives the arguments; the same one until this returns true, and empty at first.</param>
    /// <returns>Whether the command is whole.</returns>
    /// <exception cref="RespProtocolException">The bytes are no command, or one beyond the limits.</exception>
    public bool TryRead(ref ReadOnlySequence<byte> buffer, RespCommand command)
    {
        while (true)
        {
            if (_arguments == 0)
            {
                if (buffer.IsEmpty)
                    return false;
                bool isArray = buffer.FirstSpan[0] == '*';
                string tooLong = isArray ? "too big mbulk count string" : "too big inline request";
                if (!TryReadLine(ref buffer, tooLong, out ReadOnlySequence<byte> line))
                    return false;
                if (isArray)
                    _arguments = Math.Max(0, ParseLength(line, Limits.Arguments, "invalid multibulk length"));
                else if (InlineCommand.Read(line, command))
                    return true;
            }
            else if (_bulk == NoBulk)
            {
                if (!TryReadLine(ref buffer, "too big bulk count string", out ReadOnlySequence<byte> line))
                    return false;
                if (line.IsEmpty || line.FirstSpan[0] != '$')
                    throw new RespProtocolException($"expected '$', got '{(line.IsEmpty ? ' ' : (char)line.FirstSpan[0])}'");
                int length = ParseLength(line, Limits.BulkBytes, "invalid bulk length");
                if (length < 0 || (long)command.Length + length > Limits.CommandBytes)
                    throw new RespProtocolException("invalid bulk length");
                _bulk = length;
            }
            else if (!TryReadBulk(ref buffer, command))
            {
                return false;
            }
            else if (--_arguments == 0)
            {
                return true;
            }
        }
    }

    private bool TryReadBulk(ref ReadOnlySequence<byte> buffer, RespCommand command)
    {
        int taken = (int)Math.Min(_bulk, buffer.Length);
        foreach (ReadOnlyMemory<byte> part in buffer.Slice(0, taken))
            command.Append(part.Span);
        buffer = buffer.Slice(taken);
        _bulk -= taken;
        if (_bulk > 0 || buffer.Length < 2)
            return false;

        // As Redis does, the two bytes of the line end are passed over, whatever they are.
        buffer = buffer.Slice(2);
        command.EndArgument();
        _bulk = NoBulk;
        return true;
    }

    // A line without its end; its length is bounded before it is whole, too.
    private bool TryReadLine(ref ReadOnlySequence<byte> buffer, string tooLong, out ReadOnlySequence<byte> line)
    {
        line = default;
        SequencePosition? end = buffer.PositionOf((byte)'\n');
        if (buffer.Slice(0, end ?? buffer.End).Length > Limits.InlineBytes)
            throw new RespProtocolException(tooLong);
        if (end is not { } at)
            return false;
        line = buffer.Slice(0, at);
        buffer = buffer.Slice(buffer.GetPosition(1, at));
        if (!line.IsEmpty && line.Slice(line.Length - 1).FirstSpan[0] == '\r')
            line = line.Slice(0, line.Length - 1);
        return true;
    }

    // The number behind the first byte of a line.
    private static int ParseLength(ReadOnlySequence<byte> line, int most, string invalid)
    {
        Span<byte> digits = stackalloc byte[16];
        ReadOnlySequence<byte> text = line.Slice(1);
        if (text.Length is 0 or > 16)
            throw new RespProtocolException(invalid);
        text.CopyTo(digits);
        digits = digits[..(int)text.Length];
        if (!Utf8Parser.TryParse(digits, out int value, out int read) || read != digits.Length || value > most)
            throw new RespProtocolException(invalid);
        return value;
    }
}
