using System.Diagnostics.CodeAnalysis;
using VectorPipe.Model;

namespace VectorPipe.Collections.Keys;

/// <summary>Strings as keys: 1 to 512 bytes of UTF-8, not normalised, so that different strings have different bytes.</summary>
internal sealed class StringKeyCodec : KeyCodec<string>
{
    private const string Expected = "Key: expected a string of 1 to 512 bytes of UTF-8, found ";

    public override KeyType Type => KeyType.String;

    public override bool IsExact => false;

    public override int MaxBytes => SchemaLimits.MaxStringKeyBytes;

    public override ulong HandleOf(string key, ulong seed)
    {
        Span<byte> bytes = stackalloc byte[SchemaLimits.MaxStringKeyBytes];
        return Hash(bytes[..Write(key, bytes)], seed);
    }

    public override int Write(string key, Span<byte> destination)
    {
        if (string.IsNullOrEmpty(key))
            throw new InvalidRecordException(Expected + (key is null ? "null." : "an empty string."));
        if (!Utf8Text.TryWrite(key, destination[..SchemaLimits.MaxStringKeyBytes], out int written, out string? found))
            throw new InvalidRecordException($"{Expected}{found}.");
        return written;
    }

    public override bool TryRead(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out string? key)
    {
        key = null;
        return bytes.Length is >= 1 and <= SchemaLimits.MaxStringKeyBytes && Utf8Text.TryRead(bytes, out key);
    }
}
