using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using VectorPipe.Model;

namespace VectorPipe.Collections.Attributes;

/// <summary>Writes what <see cref="ByteReader"/> reads, little-endian.</summary>
internal static class ByteWriter
{
    public static void WriteByte(this IBufferWriter<byte> writer, byte value)
    {
        writer.GetSpan(1)[0] = value;
        writer.Advance(1);
    }

    public static void WriteUInt16(this IBufferWriter<byte> writer, int value)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(writer.GetSpan(sizeof(ushort)), checked((ushort)value));
        writer.Advance(sizeof(ushort));
    }

    public static void WriteInt64(this IBufferWriter<byte> writer, long value)
    {
        BinaryPrimitives.WriteInt64LittleEndian(writer.GetSpan(sizeof(long)), value);
        writer.Advance(sizeof(long));
    }

    /// <summary>Writes a text: u16 length, UTF-8; false, with what is wrong, if it is refused.</summary>
    public static bool TryWriteText(this IBufferWriter<byte> writer, string text, int maxBytes, [NotNullWhen(false)] out string? found)
    {
        // No code unit takes more than 3 bytes; the length is written when it is known.
        int room = (int)Math.Min(text.Length * 3L, maxBytes);
        Span<byte> span = writer.GetSpan(sizeof(ushort) + room);
        if (!Utf8Text.TryWrite(text, span.Slice(sizeof(ushort), room), out int length, out found))
            return false;
        BinaryPrimitives.WriteUInt16LittleEndian(span, (ushort)length);
        writer.Advance(sizeof(ushort) + length);
        return true;
    }
}
