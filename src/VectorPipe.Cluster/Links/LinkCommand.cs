using System.Buffers;
using System.Globalization;

namespace VectorPipe.Cluster.Links;

/// <summary>A command as it is sent to a node.</summary>
internal static class LinkCommand
{
    /// <summary>The bytes of a command.</summary>
    /// <param name="arguments">Its name, and what follows it.</param>
    public static byte[] Encode(IReadOnlyList<ReadOnlyMemory<byte>> arguments)
    {
        var bytes = new ArrayBufferWriter<byte>(256);
        WriteLength(bytes, '*', arguments.Count);
        foreach (ReadOnlyMemory<byte> argument in arguments)
        {
            WriteLength(bytes, '$', argument.Length);
            bytes.Write(argument.Span);
            bytes.Write("\r\n"u8);
        }

        return bytes.WrittenSpan.ToArray();
    }

    private static void WriteLength(ArrayBufferWriter<byte> bytes, char type, int length)
    {
        Span<byte> line = bytes.GetSpan(24);
        line[0] = (byte)type;
        length.TryFormat(line[1..], out int digits, default, CultureInfo.InvariantCulture);
        "\r\n"u8.CopyTo(line[(1 + digits)..]);
        bytes.Advance(digits + 3);
    }
}
