using System.Buffers;
using System.Buffers.Binary;
using System.IO.Hashing;

namespace VectorPipe.Cluster.Log;

/// <summary>Records of a batch as bytes.</summary>
/// <remarks>
/// Bytes: the version (1), and for each record kind (1), length of the element (2), element, length of the vector (4), vector, length of
/// the attributes (4; -1 for those that the element has), attributes. Little-endian.
/// </remarks>
internal static class LogBatchCodec
{
    private const byte Version = 1;
    private const int Kept = -1;

    /// <summary>Begins a batch.</summary>
    public static void Begin(ArrayBufferWriter<byte> batch) => batch.Write([Version]);

    /// <summary>Adds a record to a batch that has begun.</summary>
    public static void Add(ArrayBufferWriter<byte> batch, LogRecord record)
    {
        Span<byte> head = batch.GetSpan(1 + sizeof(ushort));
        head[0] = (byte)record.Kind;
        BinaryPrimitives.WriteUInt16LittleEndian(head[1..], checked((ushort)record.Element.Length));
        batch.Advance(1 + sizeof(ushort));
        batch.Write(record.Element.Span);
        AddBytes(batch, record.Vector.Length, record.Vector.Span);
        AddBytes(batch, record.Attributes?.Length ?? Kept, record.Attributes is { } attributes ? attributes.Span : default);
    }

    /// <summary>The records of a batch; slices of its bytes.</summary>
    /// <exception cref="LogDamagedException">The bytes are no batch of so many records, or one of a later version.</exception>
    public static IReadOnlyList<LogRecord> Read(ReadOnlyMemory<byte> batch, int count)
    {
        if (batch.IsEmpty || batch.Span[0] != Version)
            throw new LogDamagedException($"expected a batch of version {Version}, found {(batch.IsEmpty ? "nothing" : batch.Span[0])}");
        ReadOnlyMemory<byte> rest = batch[1..];
        var records = new LogRecord[count];
        for (int i = 0; i < count; i++)
        {
            var kind = (RecordKind)Take(ref rest, 1).Span[0];
            if (!Enum.IsDefined(kind))
                throw new LogDamagedException($"expected a record that is known, found kind {(byte)kind}");
            ReadOnlyMemory<byte> element = Take(ref rest, BinaryPrimitives.ReadUInt16LittleEndian(Take(ref rest, sizeof(ushort)).Span));
            ReadOnlyMemory<byte> vector = Take(ref rest, Length(ref rest));
            int attributes = Length(ref rest);
            records[i] = new LogRecord(
                kind, element, vector, attributes == Kept ? (ReadOnlyMemory<byte>?)null : Take(ref rest, attributes));
        }

        return rest.IsEmpty
            ? records
            : throw new LogDamagedException($"expected the end behind {count} records, found {rest.Length} bytes");
    }

    /// <summary>A checksum of a batch's bytes.</summary>
    public static long ChecksumOf(ReadOnlySpan<byte> batch) => unchecked((long)XxHash3.HashToUInt64(batch));

    private static void AddBytes(ArrayBufferWriter<byte> batch, int length, ReadOnlySpan<byte> bytes)
    {
        BinaryPrimitives.WriteInt32LittleEndian(batch.GetSpan(sizeof(int)), length);
        batch.Advance(sizeof(int));
        batch.Write(bytes);
    }

    private static int Length(ref ReadOnlyMemory<byte> rest) => BinaryPrimitives.ReadInt32LittleEndian(Take(ref rest, sizeof(int)).Span);

    private static ReadOnlyMemory<byte> Take(ref ReadOnlyMemory<byte> rest, int length)
    {
        if ((uint)length > (uint)rest.Length)
            throw new LogDamagedException($"expected {length} more bytes, found {rest.Length}");
        ReadOnlyMemory<byte> taken = rest[..length];
        rest = rest[length..];
        return taken;
    }
}
