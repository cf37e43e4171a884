using NUnit.Framework;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Tests.Numerics;

public sealed unsafe class Crc32CTests
{
    private static readonly uint[] _table = [.. Enumerable.Range(0, 256).Select(TableEntry)];

    private static IEnumerable<int> Lengths => Enumerable.Range(0, 601).Concat([4092, 4096, 8192, 10_001]);

    [Test]
    public void The_standards_check_value_is_computed() =>
        Assert.That(Crc32C.Compute("123456789"u8), Is.EqualTo(0xE3069283));

    [Test]
    public void Every_path_equals_the_byte_table_for_every_length_and_offset()
    {
        var data = new byte[10_016];
        new Random(7).NextBytes(data);
        foreach (int length in Lengths)
        {
            for (int offset = 0; offset < 9; offset += 3)
            {
                ReadOnlySpan<byte> bytes = data.AsSpan(offset, length);
                uint expected = ByTable(bytes, 0);
                Assert.That(Crc32C.Compute(bytes), Is.EqualTo(expected), $"length {length}, offset {offset}");
                fixed (byte* start = bytes)
                {
                    Assert.That(~Crc32C.Plain(start, length, ~0u), Is.EqualTo(expected), $"plain, length {length}");
                    if (Crc32C.CanFold128 && length >= 64)
                        Assert.That(~Crc32C.Fold128(start, length, ~0u), Is.EqualTo(expected), $"128, length {length}");
                    if (Crc32C.CanFold512 && length >= 256)
                        Assert.That(~Crc32C.Fold512(start, length, ~0u), Is.EqualTo(expected), $"512, length {length}");
                }
            }
        }
    }

    [Test]
    public void A_checksum_can_be_continued([Values(0, 1, 100, 300, 4095)] int split)
    {
        var data = new byte[4096];
        new Random(8).NextBytes(data);
        uint seed = Crc32C.Compute(data.AsSpan(0, split));
        Assert.That(Crc32C.Compute(data.AsSpan(split), seed), Is.EqualTo(ByTable(data, 0)));
    }

    [Test]
    public void A_flipped_bit_anywhere_in_a_page_changes_the_checksum()
    {
        var page = new byte[4096];
        uint clean = Crc32C.Compute(page);
        for (int bit = 0; bit < page.Length * 8; bit += 61)
        {
            page[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.That(Crc32C.Compute(page), Is.Not.EqualTo(clean), $"bit {bit}");
            page[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }

    private static uint ByTable(ReadOnlySpan<byte> data, uint seed)
    {
        uint crc = ~seed;
        foreach (byte value in data)
            crc = (crc >> 8) ^ _table[(byte)(crc ^ value)];
        return ~crc;
    }

    private static uint TableEntry(int index)
    {
        uint value = (uint)index;
        for (int bit = 0; bit < 8; bit++)
            value = (value & 1) == 0 ? value >> 1 : (value >> 1) ^ 0x82F63B78;
        return value;
    }
}
