using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using VectorPipe.Model;

namespace VectorPipe.Collections.Attributes;

/// <summary>Reads bytes that may be damaged: each method is false, and throws nothing, if they are too few or wrong.</summary>
internal ref struct ByteReader(ReadOnlySpan<byte> bytes)
{
    private ReadOnlySpan<byte> _rest = bytes;

    /// <summary>Bytes left.</summary>
    public readonly int Left => _rest.Length;

    public bool TryTake(int count, out ReadOnlySpan<byte> taken)
    {
        bool isThere = count <= _rest.Length;
        taken = isThere ? _rest[..count] : default;
        _rest = _rest[taken.Length..];
        return isThere;
    }

    public bool TryReadByte(out byte value)
    {
        bool isThere = TryTake(1, out ReadOnlySpan<byte> taken);
        value = isThere ? taken[0] : (byte)0;
        return isThere;
    }

    public bool TryReadUInt16(out int value)
    {
        bool isThere = TryTake(sizeof(ushort), out ReadOnlySpan<byte> taken);
        value = isThere ? BinaryPrimitives.ReadUInt16LittleEndian(taken) : 0;
        return isThere;
    }

    public bool TryReadInt64(out long value)
    {
        bool isThere = TryTake(sizeof(long), out ReadOnlySpan<byte> taken);
        value = isThere ? BinaryPrimitives.ReadInt64LittleEndian(taken) : 0;
        return isThere;
    }

    /// <summary>Reads a text: u16 length, UTF-8.</summary>
    public bool TryReadText(int maxBytes, [NotNullWhen(true)] out string? text)
    {
        text = null;
        return TryReadUInt16(out int length) && length <= maxBytes && TryTake(length, out ReadOnlySpan<byte> taken)
            && Utf8Text.TryRead(taken, out text);
    }
}
