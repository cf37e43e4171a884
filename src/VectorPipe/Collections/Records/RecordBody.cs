using System.Buffers.Binary;

namespace VectorPipe.Collections.Records;

/// <summary>What a record holds beside its vector: key, attributes and payload, one after another.</summary>
/// <remarks>
/// Bytes: length of the key (2), the key, length of the attributes (4), the attributes, the payload. A record with nothing of it has no
/// bytes: one of an integer key, which is its own handle, without attributes and payload.
/// </remarks>
/// <param name="Key">The key; empty for integers.</param>
/// <param name="Attributes">The attributes; empty for none.</param>
/// <param name="Payload">The payload.</param>
internal readonly record struct RecordBody(ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Attributes, ReadOnlyMemory<byte> Payload)
{
    /// <summary>Most bytes of a payload.</summary>
    public const int MaxPayloadBytes = 1 << 20;

    private const int LengthBytes = sizeof(ushort) + sizeof(uint);

    /// <summary>Puts the parts together.</summary>
    public static byte[] Encode(ReadOnlySpan<byte> key, ReadOnlySpan<byte> attributes, ReadOnlySpan<byte> payload)
    {
        if (key.IsEmpty && attributes.IsEmpty && payload.IsEmpty)
            return [];
        byte[] body = new byte[LengthBytes + key.Length + attributes.Length + payload.Length];
        BinaryPrimitives.WriteUInt16LittleEndian(body, checked((ushort)key.Length));
        key.CopyTo(body.AsSpan(sizeof(ushort)));
        Span<byte> rest = body.AsSpan(sizeof(ushort) + key.Length);
        BinaryPrimitives.WriteInt32LittleEndian(rest, attributes.Length);
        attributes.CopyTo(rest[sizeof(uint)..]);
        payload.CopyTo(rest[(sizeof(uint) + attributes.Length)..]);
        return body;
    }

    /// <summary>Takes the parts apart; false if the bytes are no body.</summary>
    public static bool TryDecode(ReadOnlyMemory<byte> bytes, out RecordBody body)
    {
        body = default;
        if (bytes.IsEmpty)
            return true;
        if (bytes.Length < LengthBytes)
            return false;
        int keyLength = BinaryPrimitives.ReadUInt16LittleEndian(bytes.Span);
        if (bytes.Length < LengthBytes + keyLength)
            return false;
        ReadOnlyMemory<byte> rest = bytes[(sizeof(ushort) + keyLength)..];
        uint attributesLength = BinaryPrimitives.ReadUInt32LittleEndian(rest.Span);
        rest = rest[sizeof(uint)..];
        if (attributesLength > (uint)rest.Length)
            return false;
        body = new RecordBody(
            bytes.Slice(sizeof(ushort), keyLength), rest[..(int)attributesLength], rest[(int)attributesLength..]);
        return true;
    }

    /// <summary>The key of a body.</summary>
    public static ReadOnlySpan<byte> KeyOf(ReadOnlySpan<byte> body) =>
        body.Length < LengthBytes ? default : body.Slice(sizeof(ushort), BinaryPrimitives.ReadUInt16LittleEndian(body));
}
