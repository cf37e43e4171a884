using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Collections.Keys;

/// <summary>A collection's keys as bytes, and as the 64-bit handles that an index knows them by. Immutable and thread-safe.</summary>
internal abstract class KeyCodec<TKey>
    where TKey : notnull
{
    // Null rather than an error: an error here would reach the caller as a TypeInitializationException.
    private static readonly KeyCodec<TKey>? _default = Create();

    /// <summary>The codec of this type of keys.</summary>
    /// <exception cref="NotSupportedException">There is none.</exception>
    public static KeyCodec<TKey> Default => _default ?? throw new NotSupportedException(
        $"Expected keys of type ulong, long, int, Guid or string, found {typeof(TKey).Name}.");

    /// <summary>The type, as the manifest states it.</summary>
    public abstract KeyType Type { get; }

    /// <summary>Whether a handle is the key itself; otherwise it is a hash, and two keys may share one.</summary>
    public abstract bool IsExact { get; }

    /// <summary>Bytes of the longest key.</summary>
    public abstract int MaxBytes { get; }

    /// <summary>The handle of a key. The seed counts only where handles are hashes.</summary>
    /// <exception cref="InvalidRecordException">The key is refused.</exception>
    public abstract ulong HandleOf(TKey key, ulong seed);

    /// <summary>Writes a key; different keys have different bytes.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/>.</param>
    /// <returns>Bytes written, 1 or more.</returns>
    /// <exception cref="InvalidRecordException">The key is refused.</exception>
    public abstract int Write(TKey key, Span<byte> destination);

    /// <summary>Reads a key; false if no key has these bytes.</summary>
    public abstract bool TryRead(ReadOnlySpan<byte> bytes, [MaybeNullWhen(false)] out TKey key);

    /// <summary>The key of a handle; false if no key has it, or handles are hashes.</summary>
    public virtual bool TryFromHandle(ulong handle, [MaybeNullWhen(false)] out TKey key)
    {
        key = default;
        return false;
    }

    /// <summary>A hash of bytes, part of the file format: the key directory's hash, chained over words of 8 bytes.</summary>
    /// <remarks>The seed is in every step, so nobody who does not know it can choose keys that collide.</remarks>
    private protected static ulong Hash(ReadOnlySpan<byte> bytes, ulong seed)
    {
        ulong hash = (ulong)bytes.Length;
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
            hash = KeyHash.Hash(hash ^ BinaryPrimitives.ReadUInt64LittleEndian(bytes), seed);
        Span<byte> last = stackalloc byte[sizeof(ulong)];
        last.Clear();
        bytes.CopyTo(last);
        return KeyHash.Hash(hash ^ BinaryPrimitives.ReadUInt64LittleEndian(last), seed);
    }

    // By comparison of types, so that ahead-of-time compilation sees every codec.
    private static KeyCodec<TKey>? Create()
    {
        if (typeof(TKey) == typeof(ulong))
            return (KeyCodec<TKey>)(object)new IntegerKeyCodec<ulong>(KeyType.UInt64);
        if (typeof(TKey) == typeof(long))
            return (KeyCodec<TKey>)(object)new IntegerKeyCodec<long>(KeyType.Int64);
        if (typeof(TKey) == typeof(int))
            return (KeyCodec<TKey>)(object)new IntegerKeyCodec<int>(KeyType.Int32);
        if (typeof(TKey) == typeof(Guid))
            return (KeyCodec<TKey>)(object)new GuidKeyCodec();
        if (typeof(TKey) == typeof(string))
            return (KeyCodec<TKey>)(object)new StringKeyCodec();
        return null;
    }
}
