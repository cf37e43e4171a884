using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Numerics;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed class ProductQuantizerFormatTests
{
    private readonly byte[] _bytes = Written();

    [Test]
    public void What_was_written_is_read_back()
    {
        ProductQuantizer read = ProductQuantizerFormat.Read(_bytes);
        var again = new byte[read.ByteLength()];
        read.Write(again);
        Assert.That(again, Is.EqualTo(_bytes));
        Assert.That((read.Dimension, read.CodeBytes), Is.EqualTo((7, 3)));
    }

    [Test]
    public void Any_changed_byte_is_noticed()
    {
        for (int i = 0; i < _bytes.Length; i++)
        {
            byte[] damaged = [.. _bytes];
            damaged[i] ^= 0x40;
            Assert.That(() => ProductQuantizerFormat.Read(damaged), Throws.TypeOf<QuantizerFormatException>(), $"byte {i}");
        }
    }

    [Test]
    public void Any_other_length_is_noticed()
    {
        for (int length = 0; length < _bytes.Length; length += 37)
        {
            byte[] shorter = _bytes[..length];
            Assert.That(() => ProductQuantizerFormat.Read(shorter), Throws.TypeOf<QuantizerFormatException>(), $"length {length}");
        }

        Assert.That(() => ProductQuantizerFormat.Read([.. _bytes, 0]), Throws.TypeOf<QuantizerFormatException>());
    }

    [Test]
    public void Changed_bytes_under_a_fitting_checksum_are_still_noticed([Values(0, 4, 8, 12, 16, 20, 32)] int field, [Values(0u, 0x7fffffffu, 0xffffffffu)] uint value)
    {
        byte[] damaged = [.. _bytes];
        BinaryPrimitives.WriteUInt32LittleEndian(damaged.AsSpan(field), field == 20 ? 1 : value);
        Seal(damaged);
        Assert.That(() => ProductQuantizerFormat.Read(damaged), Throws.TypeOf<QuantizerFormatException>());
    }

    [Test]
    public void A_number_that_is_none_is_noticed()
    {
        byte[] damaged = [.. _bytes];
        BinaryPrimitives.WriteSingleLittleEndian(damaged.AsSpan(200), float.NaN);
        Seal(damaged);
        Assert.That(() => ProductQuantizerFormat.Read(damaged), Throws.TypeOf<QuantizerFormatException>());
    }

    private static void Seal(byte[] block) =>
        BinaryPrimitives.WriteUInt32LittleEndian(block.AsSpan(block.Length - 4), Crc32C.Compute(block.AsSpan(0, block.Length - 4)));

    private static byte[] Written()
    {
        ProductQuantizer quantizer = ProductQuantizer.Train(QuantizerCases.Sample(50, 7, 1), 50, 7, 3);
        var bytes = new byte[quantizer.ByteLength()];
        quantizer.Write(bytes);
        return bytes;
    }
}
