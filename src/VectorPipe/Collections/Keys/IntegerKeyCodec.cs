using System.Buffers.Binary;
using System.Numerics;

namespace VectorPipe.Collections.Keys;

/// <summary>Integers as keys: the handle is the key, extended to 64 bits with its sign; the bytes are those of the handle.</summary>
internal sealed class IntegerKeyCodec<TKey>(KeyType type) : KeyCodec<TKey>
    where TKey : unmanaged, IBinaryInteger<TKey>
{
    public override KeyType Type => type;

    public override bool IsExact => true;

    public override int MaxBytes => sizeof(ulong);

    public override ulong HandleOf(TKey key, ulong seed) => ulong.CreateTruncating(key);

    public override int Write(TKey key, Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(destination, ulong.CreateTruncating(key));
        return sizeof(ulong);
    }

    public override bool TryRead(ReadOnlySpan<byte> bytes, out TKey key)
    {
        key = default;
        return bytes.Length == sizeof(ulong) && TryFromHandle(BinaryPrimitives.ReadUInt64LittleEndian(bytes), out key);
    }

    public override bool TryFromHandle(ulong handle, out TKey key)
    {
        key = TKey.CreateTruncating(handle);
        return ulong.CreateTruncating(key) == handle;
    }
}
