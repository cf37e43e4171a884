using System.Buffers.Binary;
using System.Text;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Tests.Formats;

/// <summary>Makes the bytes of test files without the code under test.</summary>
internal static class TestBytes
{
    /// <summary>Every format with every element type that it can hold.</summary>
    public static readonly (string Extension, VectorFileFormat Format, VectorElementType ElementType)[] Kinds =
    [
        (".fbin", VectorFileFormat.Fbin, VectorElementType.Float32),
        (".u8bin", VectorFileFormat.U8bin, VectorElementType.UInt8),
        (".i8bin", VectorFileFormat.I8bin, VectorElementType.Int8),
        (".fvecs", VectorFileFormat.Fvecs, VectorElementType.Float32),
        (".bvecs", VectorFileFormat.Bvecs, VectorElementType.UInt8),
        (".npy", VectorFileFormat.Npy, VectorElementType.Float32),
        (".npy", VectorFileFormat.Npy, VectorElementType.Float16),
        (".npy", VectorFileFormat.Npy, VectorElementType.UInt8),
        (".npy", VectorFileFormat.Npy, VectorElementType.Int8),
    ];

    public static byte[] Int32(params int[] values)
    {
        byte[] bytes = new byte[values.Length * 4];
        for (int i = 0; i < values.Length; i++)
            BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(i * 4), values[i]);
        return bytes;
    }

    public static byte[] Float32(params float[] values)
    {
        byte[] bytes = new byte[values.Length * 4];
        for (int i = 0; i < values.Length; i++)
            BinaryPrimitives.WriteSingleLittleEndian(bytes.AsSpan(i * 4), values[i]);
        return bytes;
    }

    public static byte[] Random(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }

    /// <summary>Random bytes that a seed determines, without the slow seeded generator of the framework.</summary>
    public static byte[] Seeded(ulong seed, int length)
    {
        byte[] bytes = new byte[length];
        var random = new SplitMix64(seed);
        Span<byte> rest = bytes;
        for (; rest.Length >= sizeof(ulong); rest = rest[sizeof(ulong)..])
            BinaryPrimitives.WriteUInt64LittleEndian(rest, random.Next());
        ulong last = random.Next();
        for (int i = 0; i < rest.Length; i++)
            rest[i] = (byte)(last >> (8 * i));
        return bytes;
    }

    /// <summary>Bytes 1, 2, 3 and so on: each shows its origin.</summary>
    public static byte[] Counting(int length) => [.. Enumerable.Range(1, length).Select(i => (byte)i)];

    /// <summary>The head of an npy file.</summary>
    public static byte[] Npy(string description, byte major = 1, byte minor = 0, uint? length = null)
    {
        byte[] text = Encoding.UTF8.GetBytes(description);
        uint stated = length ?? (uint)text.Length;
        byte[] size = major == 1 ? BitConverter.GetBytes((ushort)stated) : BitConverter.GetBytes(stated);
        return [0x93, .. "NUMPY"u8, major, minor, .. size, .. text];
    }

    /// <summary>The description of a matrix as NumPy writes it, padded by a few spaces and a line feed.</summary>
    public static string NpyDescription(string type, string shape, string fortranOrder = "False") =>
        $"{{'descr': '{type}', 'fortran_order': {fortranOrder}, 'shape': {shape}, }}    \n";

    /// <summary>A whole small file of any kind: its head and the values of its rows.</summary>
    public static byte[] WholeFile(string extension, VectorElementType elementType, int count, int dimension, byte[] values)
    {
        int rowBytes = dimension * elementType.SizeInBytes();
        return extension switch
        {
            ".npy" => [.. Npy(NpyDescription(NpyType(elementType), $"({count}, {dimension})")), .. values],
            ".fvecs" or ".bvecs" => [.. values.Chunk(rowBytes).SelectMany(row => Int32(dimension).Concat(row))],
            _ => [.. Int32(count, dimension), .. values],
        };
    }

    /// <summary>Asserts equal bytes: NUnit goes over them one by one only if they differ, to show where.</summary>
    public static void AssertEqual(byte[] found, byte[] expected, string context)
    {
        if (!found.AsSpan().SequenceEqual(expected))
            Assert.That(found, Is.EqualTo(expected), context);
    }

    /// <summary>Asserts equal arrays of bytes in the same order.</summary>
    public static void AssertEqual(IReadOnlyList<byte[]> found, IReadOnlyList<byte[]> expected, string context)
    {
        Assert.That(found, Has.Count.EqualTo(expected.Count), context);
        for (int i = 0; i < found.Count; i++)
            AssertEqual(found[i], expected[i], $"{context}, number {i}");
    }

    private static string NpyType(VectorElementType elementType) => elementType switch
    {
        VectorElementType.Float32 => "<f4",
        VectorElementType.Float16 => "<f2",
        VectorElementType.UInt8 => "|u1",
        _ => "|i1",
    };
}
