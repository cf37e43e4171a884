using System.Buffers.Binary;

namespace VectorPipe.Storage.Records;

/// <summary>Where a record lies: the value of its directory entry.</summary>
/// <remarks>Layout: docs/format.md#records. With the length in it, the pages of a record are known before the first is read.</remarks>
/// <param name="Offset">Its first byte in the stream, that of its header: 0 to <see cref="MaxOffset"/>.</param>
/// <param name="BodyBytes">Bytes of its body: 0 to <see cref="MaxBodyBytes"/>.</param>
internal readonly record struct RecordPlace(long Offset, int BodyBytes)
{
    /// <summary>Bytes before a body: the handle, and the length of the body.</summary>
    public const int HeaderBytes = 12;

    /// <summary>The longest body: 2 MiB less one byte.</summary>
    public const int MaxBodyBytes = (1 << LengthBits) - 1;

    /// <summary>The last byte at which a record may begin: 4 TiB less one byte.</summary>
    public const long MaxOffset = (1L << 42) - 1;

    private const int LengthBits = 21;

    /// <summary>The byte behind the record.</summary>
    public long End => Offset + HeaderBytes + BodyBytes;

    /// <summary>The value of a directory entry; its highest bit, the mark of a deleted key, is 0.</summary>
    public ulong ToValue() => ((ulong)Offset << LengthBits) | (uint)BodyBytes;

    /// <summary>The place that a value states; any value gives one, so the caller compares its end with that of the stream.</summary>
    public static RecordPlace FromValue(ulong value) => new((long)(value >> LengthBits), (int)(value & MaxBodyBytes));

    /// <summary>Writes the header of a record.</summary>
    public static void WriteHeader(Span<byte> header, ulong handle, int bodyBytes)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(header, handle);
        BinaryPrimitives.WriteInt32LittleEndian(header[8..], bodyBytes);
    }

    /// <summary>Reads the header of a record; the length may be any number.</summary>
    public static (ulong Handle, uint BodyBytes) ReadHeader(ReadOnlySpan<byte> header) =>
        (BinaryPrimitives.ReadUInt64LittleEndian(header), BinaryPrimitives.ReadUInt32LittleEndian(header[8..]));
}
