using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

[TestFixture(CodeKind.Pq)]
[TestFixture(CodeKind.Opq)]
internal sealed class QuantizerFormatTests(CodeKind kind)
{
    private readonly byte[] _bytes = Written(kind);

    [Test]
    public void A_written_quantizer_is_read_back()
    {
        Quantizer read = QuantizerFormat.Read(_bytes);
        Assert.That(QuantizerFormat.ToBytes(read), Is.EqualTo(_bytes));
        Assert.That((read.Dimension, read.CodeBytes, read.Kind), Is.EqualTo((7, 3, kind)));
        Assert.That(_bytes, Has.Length.EqualTo(QuantizerFormat.ByteLength(7, 3, kind)));
    }

    [Test]
    public void Any_changed_byte_is_noticed()
    {
        for (int i = 0; i < _bytes.Length; i++)
        {
            byte[] damaged = [.. _bytes];
            damaged[i] ^= 0x40;
            Assert.That(() => QuantizerFormat.Read(damaged), Throws.TypeOf<QuantizerFormatException>(), $"byte {i}");
        }
    }

    [Test]
    public void Any_other_length_is_noticed()
    {
        for (int length = 0; length < _bytes.Length; length += 37)
        {
            byte[] shorter = _bytes[..length];
            Assert.That(() => QuantizerFormat.Read(shorter), Throws.TypeOf<QuantizerFormatException>(), $"length {length}");
        }

        Assert.That(() => QuantizerFormat.Read([.. _bytes, 0]), Throws.TypeOf<QuantizerFormatException>());
    }

    [Test]
    public void Changed_bytes_under_a_fitting_checksum_are_still_noticed(
        [Values(0, 4, 8, 12, 16, 20, 32)] int field, [Values(0u, 0x7fffffffu, 0xffffffffu)] uint value)
    {
        byte[] damaged = [.. _bytes];
        BinaryPrimitives.WriteUInt32LittleEndian(damaged.AsSpan(field), field == 20 ? 1 : value);
        Seal(damaged);
        Assert.That(() => QuantizerFormat.Read(damaged), Throws.TypeOf<QuantizerFormatException>());
    }

    [Test]
    public void A_block_of_one_version_is_refused_as_the_other()
    {
        byte[] other = [.. _bytes];
        other[4] = kind == CodeKind.Pq ? (byte)2 : (byte)1;
        Seal(other);
        Assert.That(() => QuantizerFormat.Read(other), Throws.TypeOf<QuantizerFormatException>());
    }

    [Test]
    public void A_value_that_is_not_a_number_is_noticed()
    {
        byte[] damaged = [.. _bytes];
        BinaryPrimitives.WriteSingleLittleEndian(damaged.AsSpan(200), float.NaN);
        Seal(damaged);
        Assert.That(() => QuantizerFormat.Read(damaged), Throws.TypeOf<QuantizerFormatException>());
    }

    private static void Seal(byte[] block) =>
        BinaryPrimitives.WriteUInt32LittleEndian(block.AsSpan(block.Length - 4), Crc32C.Compute(block.AsSpan(0, block.Length - 4)));

    private static byte[] Written(CodeKind kind)
    {
        float[] sample = QuantizerCases.Sample(50, 7, 1);
        return QuantizerCases.Bytes(
            kind == CodeKind.Pq ? Quantizer.Train(sample, 50, 7, 3) : OptimizedQuantizer.Train(sample, 50, 7, 3));
    }
}
