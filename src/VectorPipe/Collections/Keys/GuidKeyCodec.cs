namespace VectorPipe.Collections.Keys;

/// <summary>Guids as keys: 16 bytes, with the first three fields little-endian.</summary>
internal sealed class GuidKeyCodec : KeyCodec<Guid>
{
    private const int Bytes = 16;

    public override KeyType Type => KeyType.Guid;

    public override bool IsExact => false;

    public override int MaxBytes => Bytes;

    public override ulong HandleOf(Guid key, ulong seed)
    {
        Span<byte> bytes = stackalloc byte[Bytes];
        return Hash(bytes[..Write(key, bytes)], seed);
    }

    public override int Write(Guid key, Span<byte> destination) =>
        key.TryWriteBytes(destination) ? Bytes : throw new ArgumentException("Expected 16 bytes.", nameof(destination));

    public override bool TryRead(ReadOnlySpan<byte> bytes, out Guid key)
    {
        key = bytes.Length == Bytes ? new Guid(bytes) : default;
        return bytes.Length == Bytes;
    }
}
