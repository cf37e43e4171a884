using System.Buffers.Binary;
using System.Runtime.InteropServices;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Commands;

/// <summary>A vector among the arguments of a command: <c>[REDUCE dim] FP32 blob</c> or <c>[REDUCE dim] VALUES n v1 ... vn</c>.</summary>
/// <param name="Values">Its components, which are the call's until its next command.</param>
/// <param name="Reduced">The components to project it to; 0 for none.</param>
/// <param name="End">The argument behind it.</param>
internal readonly record struct VectorArguments(float[] Values, int Reduced, int End)
{
    /// <summary>Reads a vector.</summary>
    /// <exception cref="CommandException">The arguments are none.</exception>
    public static VectorArguments Read(Call call, int start, bool mayReduce)
    {
        int at = start;
        long reduced = 0;
        if (mayReduce && call.Count > at + 2 && call.Command.Is(at, "REDUCE"))
        {
            if (!call.TryInteger(at + 1, out reduced) || reduced is <= 0 or > SetSettings.MostDimension)
                throw Invalid();
            at += 2;
        }

        if (call.Count < at + 2)
            throw Invalid();
        float[] values;
        if (call.Command.Is(at, "FP32"))
        {
            values = FromBytes(call, call.Command[at + 1]);
            at += 2;
        }
        else if (call.Command.Is(at, "VALUES"))
        {
            if (!call.TryInteger(at + 1, out long count) || count is < 1 or > SetSettings.MostDimension || call.Count < at + 2 + count)
                throw Invalid();
            values = FromTexts(call, at + 2, (int)count);
            at += 2 + (int)count;
        }
        else
        {
            throw Invalid();
        }

        return reduced <= values.Length ? new VectorArguments(values, (int)reduced, at) : throw Invalid();
    }

    /// <summary>The argument behind a vector, without reading it; -1 if it is none.</summary>
    public static int Skip(Resp.RespCommand command, int start)
    {
        int at = start < command.Count && command.Is(start, "REDUCE") ? start + 2 : start;
        if (at + 1 >= command.Count)
            return -1;
        if (command.Is(at, "FP32"))
            return at + 2;
        bool isCount = System.Buffers.Text.Utf8Parser.TryParse(command[at + 1], out int count, out int read)
            && read == command[at + 1].Length;
        return command.Is(at, "VALUES") && isCount && count > 0 && count < command.Count ? at + 2 + count : -1;
    }

    private static float[] FromBytes(Call call, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length % sizeof(float) != 0 || bytes.Length / sizeof(float) is < 1 or > SetSettings.MostDimension)
            throw Invalid();
        float[] values = call.VectorOf(bytes.Length / sizeof(float));
        bytes.CopyTo(MemoryMarshal.AsBytes(values.AsSpan()));
        if (!BitConverter.IsLittleEndian)
        {
            Span<int> words = MemoryMarshal.Cast<float, int>(values.AsSpan());
            BinaryPrimitives.ReverseEndianness(words, words);
        }

        return values;
    }

    private static float[] FromTexts(Call call, int start, int count)
    {
        float[] values = call.VectorOf(count);
        for (int i = 0; i < count; i++)
        {
            if (!call.TryNumber(start + i, out double value))
                throw Invalid();
            values[i] = (float)value;
        }

        return values;
    }

    private static CommandException Invalid() => new("ERR invalid vector specification");
}
