using System.Buffers;
using System.Collections.Immutable;
using VectorPipe.Model;

namespace VectorPipe.Collections.Attributes;

/// <summary>One value as bytes, little-endian, without its type.</summary>
/// <remarks>
/// Boolean: u8, 0 or 1. Int64: i64. Double: f64. Guid: 16 bytes, as Guid.TryWriteBytes. DateTimeOffset: i64 ticks in UTC, i16 minutes of
/// the offset. String: u16 length, UTF-8. StringSet: u16 count, then strings that rise by ordinal comparison.
/// </remarks>
internal static class AttributeValueCodec
{
    private const int GuidBytes = 16;
    private const int MaxOffsetMinutes = 14 * 60;

    public static void Write(ArrayBufferWriter<byte> writer, string name, AttributeValue value)
    {
        switch (value.Type)
        {
            case AttributeType.Boolean:
                writer.WriteByte(value.AsBoolean() ? (byte)1 : (byte)0);
                break;
            case AttributeType.Int64:
                writer.WriteInt64(value.AsInt64());
                break;
            case AttributeType.Double:
                writer.WriteInt64(BitConverter.DoubleToInt64Bits(value.AsDouble()));
                break;
            case AttributeType.String:
                WriteText(writer, name, value.AsString());
                break;
            case AttributeType.Guid:
                value.AsGuid().TryWriteBytes(writer.GetSpan(GuidBytes));
                writer.Advance(GuidBytes);
                break;
            case AttributeType.DateTimeOffset:
                DateTimeOffset time = value.AsDateTimeOffset();
                writer.WriteInt64(time.UtcTicks);
                writer.WriteUInt16((ushort)time.TotalOffsetMinutes);
                break;
            case AttributeType.StringSet:
                WriteSet(writer, name, value.AsStringSet());
                break;
        }
    }

    /// <summary>Reads a value; false, and never an error, if the bytes are not one of this type.</summary>
    public static bool TryRead(ref ByteReader reader, AttributeType type, out AttributeValue value)
    {
        value = default;
        switch (type)
        {
            case AttributeType.Boolean when reader.TryReadByte(out byte truth) && truth <= 1:
                value = truth == 1;
                break;
            case AttributeType.Int64 when reader.TryReadInt64(out long number):
                value = number;
                break;
            case AttributeType.Double when reader.TryReadInt64(out long bits):
                value = BitConverter.Int64BitsToDouble(bits);
                break;
            case AttributeType.String when reader.TryReadText(SchemaLimits.MaxAttributeStringBytes, out string? text):
                value = text;
                break;
            case AttributeType.Guid when reader.TryTake(GuidBytes, out ReadOnlySpan<byte> guid):
                value = new Guid(guid);
                break;
            case AttributeType.DateTimeOffset when TryReadTime(ref reader, out DateTimeOffset time):
                value = time;
                break;
            case AttributeType.StringSet when TryReadSet(ref reader, out string[] items):
                value = AttributeValue.OfRising(items);
                break;
        }

        return value.Type != 0;
    }

    /// <summary>Skips a value; false, and never an error, if the bytes end before it.</summary>
    /// <param name="reader">At the value.</param>
    /// <param name="type">Its type.</param>
    /// <param name="bytes">The bytes of a value of fixed length or of a text; none of a set.</param>
    public static bool TrySkip(ref ByteReader reader, AttributeType type, out ReadOnlySpan<byte> bytes)
    {
        bytes = default;
        switch (type)
        {
            case AttributeType.Boolean:
                return reader.TryTake(1, out bytes);
            case AttributeType.Int64 or AttributeType.Double:
                return reader.TryTake(sizeof(long), out bytes);
            case AttributeType.Guid:
                return reader.TryTake(GuidBytes, out bytes);
            case AttributeType.DateTimeOffset:
                return reader.TryTake(sizeof(long) + sizeof(short), out bytes);
            case AttributeType.String:
                return reader.TryReadUInt16(out int length) && reader.TryTake(length, out bytes);
        }

        if (!reader.TryReadUInt16(out int count))
            return false;
        for (int i = 0; i < count; i++)
        {
            if (!reader.TryReadUInt16(out int length) || !reader.TryTake(length, out _))
                return false;
        }

        return true;
    }

    private static void WriteSet(ArrayBufferWriter<byte> writer, string name, ImmutableArray<string> items)
    {
        // Every string takes 2 bytes at least, so a longer set cannot fit into a record.
        if (items.Length > SchemaLimits.MaxRecordAttributeBytes / 2)
            throw new InvalidRecordException(
                $"Attribute '{name}': expected at most {SchemaLimits.MaxRecordAttributeBytes} bytes in all, found {items.Length} strings.");
        writer.WriteUInt16(items.Length);
        foreach (string item in items)
            WriteText(writer, name, item);
    }

    private static void WriteText(ArrayBufferWriter<byte> writer, string name, string text)
    {
        if (!writer.TryWriteText(text, SchemaLimits.MaxAttributeStringBytes, out string? found))
            throw new InvalidRecordException(
                $"Attribute '{name}': expected a string of at most {SchemaLimits.MaxAttributeStringBytes} bytes of UTF-8, found {found}.");
        if (writer.WrittenCount > SchemaLimits.MaxRecordAttributeBytes)
            throw AttributeCodec.TooLong(name, writer.WrittenCount);
    }

    private static bool TryReadTime(ref ByteReader reader, out DateTimeOffset time)
    {
        time = default;
        if (!reader.TryReadInt64(out long utcTicks) || !reader.TryReadUInt16(out int bits))
            return false;
        int minutes = (short)bits;
        long localTicks = unchecked(utcTicks + (minutes * TimeSpan.TicksPerMinute));
        if (Math.Abs(minutes) > MaxOffsetMinutes || !IsInRange(utcTicks) || !IsInRange(localTicks))
            return false;
        time = new DateTimeOffset(localTicks, TimeSpan.FromMinutes((long)minutes));
        return true;
    }

    private static bool IsInRange(long ticks) => ticks >= 0 && ticks <= DateTime.MaxValue.Ticks;

    private static bool TryReadSet(ref ByteReader reader, out string[] items)
    {
        items = [];
        if (!reader.TryReadUInt16(out int count) || count > reader.Left / 2)
            return false;
        items = new string[count];
        for (int i = 0; i < count; i++)
        {
            if (!reader.TryReadText(SchemaLimits.MaxAttributeStringBytes, out string? item))
                return false;
            if (i > 0 && string.CompareOrdinal(items[i - 1], item) >= 0)
                return false;
            items[i] = item;
        }

        return true;
    }
}
