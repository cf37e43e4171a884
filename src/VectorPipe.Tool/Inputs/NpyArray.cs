using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace VectorPipe.Tool.Inputs;

/// <summary>The header of an array of NumPy: its type of element, its order and its shape (NumPy Enhancement Proposal 1).</summary>
/// <param name="Place">File and array, for errors.</param>
/// <param name="ElementName">NumPy's name of the type, with the order of its bytes.</param>
/// <param name="IsFortran">Whether the first index varies fastest.</param>
/// <param name="DataOffset">Bytes of the header.</param>
internal sealed partial record NpyArray(string Place, string ElementName, bool IsFortran, long[] Shape, int DataOffset)
{
    private const int PreambleBytes = 8;
    private const int MostBytes = ushort.MaxValue;

    private static ReadOnlySpan<byte> Magic => [0x93, (byte)'N', (byte)'U', (byte)'M', (byte)'P', (byte)'Y'];

    /// <summary>Whether the library reads the array itself.</summary>
    public bool IsPlainMatrix => !IsFortran && Shape.Length == 2 && ElementName is "<f4" or "<f2" or "|u1" or "|i1";

    /// <summary>Rows; an array of one dimension is one row.</summary>
    public long Rows => Shape.Length == 1 ? 1 : Shape[0];

    public long Columns => Shape[^1];

    /// <summary>Reads the header at the beginning of a stream.</summary>
    /// <exception cref="UsageException">It is no header of an array of numbers.</exception>
    public static async Task<NpyArray> ReadAsync(Stream stream, string place, CancellationToken cancellationToken)
    {
        byte[] preamble = await ReadAsync(stream, place, PreambleBytes, cancellationToken);
        if (!preamble.AsSpan().StartsWith(Magic))
            throw new UsageException($"{place}: expected an array of NumPy; found bytes {Convert.ToHexString(preamble)} at its start.");
        int lengthBytes = preamble[Magic.Length] == 1 ? sizeof(ushort) : sizeof(uint);
        byte[] bytes = await ReadAsync(stream, place, lengthBytes, cancellationToken);
        uint length = lengthBytes == sizeof(ushort)
            ? BinaryPrimitives.ReadUInt16LittleEndian(bytes)
            : BinaryPrimitives.ReadUInt32LittleEndian(bytes);
        if (length > MostBytes)
            throw new UsageException($"{place}: expected a header of at most {MostBytes} bytes; found {length}.");
        string text = Encoding.Latin1.GetString(await ReadAsync(stream, place, (int)length, cancellationToken));
        (Match type, Match order, Match shape) = (TypeEntry().Match(text), OrderEntry().Match(text), ShapeEntry().Match(text));
        string[] extents = shape.Groups[1].Value.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        long[] numbers =
        [
            .. extents.Select(
                extent => long.TryParse(extent, NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number : -1),
        ];
        if (!type.Success || !order.Success || !shape.Success || numbers.Contains(-1))
            throw new UsageException($"{place}: expected 'descr' of numbers, 'fortran_order' and 'shape' as a header; found {text.Trim()}");
        return new NpyArray(
            place, type.Groups[1].Value, order.Groups[1].Value == "True", numbers, PreambleBytes + lengthBytes + (int)length);
    }

    /// <summary>The type of the components, for an array of one or two dimensions.</summary>
    /// <exception cref="UsageException">The array cannot be vectors.</exception>
    public StoredElement RequireVectors()
    {
        if (Shape.Length is not (1 or 2))
            throw new UsageException($"{Place}: expected an array of one or two dimensions; found {Shape.Length}.");
        return ElementName switch
        {
            "<f8" => StoredElement.Float64,
            "<f4" => new StoredElement(VectorElementType.Float32, sizeof(float)),
            "<f2" => new StoredElement(VectorElementType.Float16, sizeof(ushort)),
            "|u1" => new StoredElement(VectorElementType.UInt8, 1),
            "|i1" => new StoredElement(VectorElementType.Int8, 1),
            _ => throw new UsageException($"{Place}: expected elements of '<f8', '<f4', '<f2', '|u1' or '|i1'; found '{ElementName}'."),
        };
    }

    /// <summary>Refuses a file that is shorter or longer than the array.</summary>
    /// <param name="bytes">Bytes of the file, the header among them.</param>
    public void RequireLength(long bytes, int elementBytes)
    {
        Int128 expected = DataOffset + Shape.Aggregate((Int128)elementBytes, (product, extent) => product * extent);
        if (bytes != expected)
            throw new UsageException($"{Place}: expected {expected} bytes, as the header says; found {bytes}.");
    }

    private static async Task<byte[]> ReadAsync(Stream stream, string place, int count, CancellationToken cancellationToken)
    {
        byte[] bytes = new byte[count];
        if (await stream.ReadAtLeastAsync(bytes, count, throwOnEndOfStream: false, cancellationToken) < count)
            throw new UsageException($"{place}: expected the header of an array of NumPy; found its end.");
        return bytes;
    }

    [GeneratedRegex(@"['""]descr['""]\s*:\s*['""]([^'""]*)['""]")]
    private static partial Regex TypeEntry();

    [GeneratedRegex(@"['""]fortran_order['""]\s*:\s*(True|False)")]
    private static partial Regex OrderEntry();

    [GeneratedRegex(@"['""]shape['""]\s*:\s*\(([^)]*)\)")]
    private static partial Regex ShapeEntry();
}
