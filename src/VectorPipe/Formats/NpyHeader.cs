using System.Buffers.Binary;
using System.Text;

namespace VectorPipe.Formats;

/// <summary>The header of npy files (NumPy Enhancement Proposal 1): magic, version, length of the description, description.</summary>
/// <remarks>The length is a uint16 in version 1.0, a uint32 in 2.0 and 3.0. The description is a Python dictionary in text.</remarks>
internal static class NpyHeader
{
    /// <summary>The longest accepted header: the most that version 1.0 can express. A hostile length then costs little memory.</summary>
    public const int MaxBytes = LongPreambleBytes + ushort.MaxValue;

    private const int VersionOffset = 6;
    private const int LengthOffset = 8;
    private const int ShortPreambleBytes = 10;
    private const int LongPreambleBytes = 12;

    /// <summary>Bytes of every header written here: room for any count, and a multiple of 64, to which NumPy aligns.</summary>
    private const int EncodedBytes = 128;

    private static ReadOnlySpan<byte> Magic => [0x93, (byte)'N', (byte)'U', (byte)'M', (byte)'P', (byte)'Y'];

    /// <param name="head">The first bytes of the file: all of it, or at least <see cref="MaxBytes"/>.</param>
    /// <param name="path">The file, for errors.</param>
    /// <exception cref="VectorFormatException">Not npy, an unknown version, or no plain matrix of a supported type.</exception>
    public static (VectorElementType ElementType, RowLayout Rows) Parse(ReadOnlySpan<byte> head, string path)
    {
        HeaderChecks.HeaderLength(path, head.Length, ShortPreambleBytes);
        if (!head.StartsWith(Magic))
            throw new VectorFormatException(path, 0, @"the magic '\x93NUMPY'", $"bytes {Convert.ToHexString(head[..Magic.Length])}");

        (byte major, byte minor) = (head[VersionOffset], head[VersionOffset + 1]);
        if (major is not (1 or 2 or 3) || minor != 0)
            throw new VectorFormatException(path, VersionOffset, "npy version 1.0, 2.0 or 3.0", $"{major}.{minor}");

        int start = major == 1 ? ShortPreambleBytes : LongPreambleBytes;
        HeaderChecks.HeaderLength(path, head.Length, start);
        uint length = major == 1
            ? BinaryPrimitives.ReadUInt16LittleEndian(head[LengthOffset..])
            : BinaryPrimitives.ReadUInt32LittleEndian(head[LengthOffset..]);
        if (length > ushort.MaxValue)
            throw new VectorFormatException(path, LengthOffset, $"a description of at most {ushort.MaxValue} bytes", $"{length}");
        int end = start + (int)length;
        HeaderChecks.HeaderLength(path, head.Length, end);

        return new NpyDescriptionParser(head[start..end], path, start).Parse();
    }

    /// <summary>The header, version 1.0, of a matrix. Its length does not depend on the count.</summary>
    public static byte[] Encode(VectorElementType elementType, RowLayout layout) =>
        Encode(TypeName(elementType), $"({layout.Count}, {layout.Dimension})");

    /// <summary>The header, version 1.0, of a list of uint64 keys.</summary>
    public static byte[] EncodeKeys(long count) => Encode("<u8", $"({count},)");

    /// <summary>NumPy's name of an element type, byte order included.</summary>
    public static string TypeName(VectorElementType elementType) => elementType switch
    {
        VectorElementType.Float32 => "<f4",
        VectorElementType.Float16 => "<f2",
        VectorElementType.UInt8 => "|u1",
        VectorElementType.Int8 => "|i1",
        _ => throw new ArgumentOutOfRangeException(nameof(elementType), elementType, "Expected Float32, Float16, UInt8 or Int8."),
    };

    private static byte[] Encode(string typeName, string shape)
    {
        string description = $"{{'descr': '{typeName}', 'fortran_order': False, 'shape': {shape}, }}";
        byte[] header = new byte[EncodedBytes];
        header.AsSpan().Fill((byte)' ');
        Magic.CopyTo(header);
        header[VersionOffset] = 1;
        header[VersionOffset + 1] = 0;
        BinaryPrimitives.WriteUInt16LittleEndian(header.AsSpan(LengthOffset), EncodedBytes - ShortPreambleBytes);
        Encoding.ASCII.GetBytes(description, header.AsSpan(ShortPreambleBytes));
        header[^1] = (byte)'\n';
        return header;
    }
}
