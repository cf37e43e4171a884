using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Numerics;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed class RaBitQuantizerFormatTests
{
    private readonly byte[] _bytes = QuantizerFormat.ToBytes(RaBitQuantizer.Train(QuantizerCases.Sample(50, 13, 1), 50, 13, 7, seed: 5));

    [Test]
    public void What_was_written_is_read_back()
    {
        Quantizer read = QuantizerFormat.Read(_bytes, CodeKind.RaBitQ);
        Assert.That(QuantizerFormat.ToBytes(read), Is.EqualTo(_bytes));
        Assert.That((read.Dimension, read.CodeBytes, read.Kind), Is.EqualTo((13, 7, CodeKind.RaBitQ)));
        Assert.That(_bytes, Has.Length.EqualTo(QuantizerFormat.ByteLength(13, 7, CodeKind.RaBitQ)));
    }

    [Test]
    public void Any_changed_byte_is_noticed()
    {
        for (int i = 0; i < _bytes.Length; i++)
        {
            byte[] damaged = [.. _bytes];
            damaged[i] ^= 0x40;
            Assert.That(() => RaBitQuantizerFormat.Read(damaged), Throws.TypeOf<QuantizerFormatException>(), $"byte {i}");
        }
    }

    [Test]
    public void Any_other_length_is_noticed()
    {
        for (int length = 0; length < _bytes.Length; length++)
        {
            byte[] shorter = _bytes[..length];
            Assert.That(() => RaBitQuantizerFormat.Read(shorter), Throws.TypeOf<QuantizerFormatException>(), $"length {length}");
        }

        Assert.That(() => RaBitQuantizerFormat.Read([.. _bytes, 0]), Throws.TypeOf<QuantizerFormatException>());
    }

    [Test]
    public void Changed_bytes_under_a_fitting_checksum_are_still_noticed([Values(0, 4, 8, 12, 16)] int field, [Values(0u, 5u, 0x7fffffffu, 0xffffffffu)] uint value)
    {
        byte[] damaged = [.. _bytes];
        BinaryPrimitives.WriteUInt32LittleEndian(damaged.AsSpan(field), value);
        Seal(damaged);
        Assert.That(() => RaBitQuantizerFormat.Read(damaged), Throws.TypeOf<QuantizerFormatException>());
    }

    [Test]
    public void A_number_that_is_none_is_noticed()
    {
        byte[] damaged = [.. _bytes];
        BinaryPrimitives.WriteSingleLittleEndian(damaged.AsSpan(24), float.NaN);
        Seal(damaged);
        Assert.That(() => RaBitQuantizerFormat.Read(damaged), Throws.TypeOf<QuantizerFormatException>());
    }

    [Test]
    public void A_block_of_one_kind_is_no_block_of_the_other()
    {
        byte[] product = QuantizerCases.Bytes(ProductQuantizer.Train(QuantizerCases.Sample(50, 13, 1), 50, 13, 7));
        Assert.That(() => QuantizerFormat.Read(product, CodeKind.RaBitQ), Throws.TypeOf<QuantizerFormatException>());
        Assert.That(() => QuantizerFormat.Read(_bytes, CodeKind.Pq), Throws.TypeOf<QuantizerFormatException>());
    }

    private static void Seal(byte[] block) =>
        BinaryPrimitives.WriteUInt32LittleEndian(block.AsSpan(block.Length - 4), Crc32C.Compute(block.AsSpan(0, block.Length - 4)));
}
