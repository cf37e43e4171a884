using System.Numerics;
using NUnit.Framework;
using VectorPipe.Storage.Nodes;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Storage.Nodes;

/// <summary>Lists of links coded as gaps are read back, and damaged bytes never lead out of the list.</summary>
public sealed unsafe class GapCodeTests
{
    private static readonly (string What, byte[] Lengths)[] _badLengths =
    [
        ("too few", [1, 1]),
        ("none in use", new byte[GapCode.Magnitudes]),
        ("bits to spare", Lengths(1, 2)),
        ("too many codes", Lengths(1, 1, 1)),
        ("too long a code", Lengths(1, 2, 3, 4, 5, 6, 7, 8, 9, 9)),
    ];

    [Test]
    public void Any_list_is_read_back_from_the_announced_number_of_bits()
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 2000; i++)
        {
            (uint[] ids, uint nodes) = Draw(random);
            AssertComesBack(Fitted(random, nodes), ids, nodes, $"list {i}");
        }
    }

    [Test]
    public void Lists_of_the_lowest_and_the_highest_ids_are_read_back([Values(1u, 2u, 7u, 1000u, 4_000_000_000u)] uint nodes)
    {
        int count = (int)Math.Min(nodes, 1024);
        AssertComesBack(GapCode.Uniform, [.. Enumerable.Range(0, count).Select(i => (uint)i)], nodes, "lowest");
        AssertComesBack(GapCode.Uniform, [.. Enumerable.Range(0, count).Select(i => nodes - (uint)count + (uint)i)], nodes, "highest");
        AssertComesBack(GapCode.Uniform, [nodes - 1], nodes, "the last one");
        AssertComesBack(GapCode.Uniform, [], nodes, "none");
    }

    [Test]
    public void A_fitted_code_takes_little_more_than_the_entropy_of_the_magnitudes()
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 100; i++)
        {
            long[] counts =
                [.. Enumerable.Range(0, random.Next(2, GapCode.Magnitudes + 1)).Select(_ => (long)Math.Exp(random.NextDouble() * 12))];
            double total = counts.Sum();
            double entropy = counts.Sum(count => -count / total * Math.Log2(count / total));
            GapCode code = GapCode.Fit(counts);
            double bits = counts.Select((count, magnitude) => count / total * code.Lengths[magnitude]).Sum();

            // Huffman's bound is one bit; codes of at most eight bits cost a little on top.
            Assert.That(bits, Is.LessThan(Math.Max(1, entropy + 1) + 0.15), $"case {i}: {string.Join(',', counts)}");
            Assert.That(code.Lengths[..counts.Length].IndexOf((byte)0), Is.EqualTo(-1), $"case {i}: every magnitude has a code");
        }
    }

    [Test]
    public void The_magnitude_of_half_of_all_gaps_takes_one_bit()
    {
        GapCode code = GapCode.Fit([1000, 500, 250, 250]);
        Assert.That(code.Lengths[..5].ToArray(), Is.EqualTo(new byte[] { 1, 2, 3, 3, 0 }));
        Assert.That(code.MeanBits, Is.EqualTo(0.5 * 1 + 0.25 * 3 + 0.125 * 5 + 0.125 * 6));
    }

    [Test]
    public void Bytes_are_those_of_the_format()
    {
        // Codes by length, then magnitude: 0 is "0", 1 is "10", 2 is "110", 3 is "111". Ids 0, 2, 9: gaps 1, 2, 7 = "0", "10" + 0, "110" +
        // 11 from the lowest bit up.
        GapCode code = GapCode.Fit([1000, 500, 250, 250]);
        byte[] bytes = new byte[2];
        int length = code.Encode([0, 2, 9], bytes);
        Assert.That((length, bytes[0], bytes[1]), Is.EqualTo((2, (byte)0b1011_0010, (byte)0b1)));
    }

    [Test]
    public void A_written_code_is_read_back()
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 50; i++)
        {
            GapCode code = Fitted(random, (uint)random.Next(1, int.MaxValue));
            byte[] bytes = new byte[GapCode.Size], lengths = new byte[GapCode.Magnitudes];
            code.WriteLengths(bytes);
            GapCode.ReadLengths(bytes, lengths);
            var read = new GapCode(lengths);
            Assert.That(read, Is.EqualTo(code));
            Assert.That(read.GetHashCode(), Is.EqualTo(code.GetHashCode()));
        }
    }

    [Test]
    public void Lengths_of_an_incomplete_code_are_refused([Range(0, 4)] int i)
    {
        Assert.That(GapCode.FindDefect(_badLengths[i].Lengths), Is.Not.Null, _badLengths[i].What);
        Assert.That(() => new GapCode(_badLengths[i].Lengths), Throws.ArgumentException, _badLengths[i].What);
    }

    [Test]
    public void Damaged_bytes_are_a_list_or_none_and_later_bytes_do_not_matter()
    {
        Random random = RandomizedTest.Start();
        uint[] first = new uint[NodeLayout.MaxLinks + 1], second = new uint[NodeLayout.MaxLinks + 1];
        int refused = 0, read = 0;
        for (int i = 0; i < 3000; i++)
        {
            // Random bytes, or a list with a few flipped bits.
            (uint[] ids, uint nodes) = Draw(random);
            GapCode code = Fitted(random, nodes);
            byte[] bytes = new byte[8 * ids.Length + GapCode.Padding + 64];
            int length = code.Encode(ids, bytes), count = ids.Length;
            if (random.Next(2) == 0)
                random.NextBytes(bytes.AsSpan(0, length));
            for (int flips = random.Next(3); flips > 0; flips--)
                bytes[random.Next(length)] ^= (byte)(1 << random.Next(8));
            random.NextBytes(bytes.AsSpan(length));
            first[count] = second[count] = 0xC0FFEE;
            bool isList = Decode(code, bytes, length, count, nodes, first);

            // The answer must not depend on bytes that the decoder may not read.
            random.NextBytes(bytes.AsSpan(length + GapCode.Padding));
            Assert.That(
                Decode(code, bytes, length, count, nodes, second), Is.EqualTo(isList),
                $"case {i}: the answer depends on bytes after the padding");
            if (isList && !first.AsSpan(0, count).SequenceEqual(second.AsSpan(0, count)))
                Assert.Fail($"case {i}: the ids depend on bytes after the padding");
            Assert.That((first[count], second[count]), Is.EqualTo((0xC0FFEEu, 0xC0FFEEu)), $"case {i}: more than {count} ids were written");
            if (isList)
                Assert.That(first.AsSpan(0, count).ToArray(), Is.Ordered.Ascending.And.All.LessThan(nodes), $"case {i}");
            refused += isList ? 0 : 1;
            read += isList ? 1 : 0;
        }

        Assert.That(Math.Min(refused, read), Is.GreaterThan(100), "both outcomes occur");
    }

    [Test]
    public void A_list_cut_short_is_refused()
    {
        uint[] ids = [.. Enumerable.Range(0, 50).Select(i => (uint)(i * 1000))];
        byte[] bytes = new byte[500];
        int length = GapCode.Uniform.Encode(ids, bytes);
        for (int cut = length - 1; cut >= 0; cut--)
            Assert.That(Decode(GapCode.Uniform, bytes, cut, ids.Length, 100_000, new uint[50]), Is.False, $"{cut} of {length} bytes");
    }

    private static void AssertComesBack(GapCode code, uint[] ids, uint nodes, string what)
    {
        int bits = ids.Select((id, i) => code.BitsOf(i == 0 ? id + 1 : id - ids[i - 1])).Sum();
        int announced = bits + 7 >> 3;
        byte[] bytes = new byte[announced + GapCode.Padding];
        Assert.That(code.Encode(ids, bytes.AsSpan(0, announced)), Is.EqualTo(announced), $"{what}: bytes of {ids.Length} ids of {nodes}");

        // The next list follows, and must not be read as part of this one.
        bytes.AsSpan(announced).Fill(0xFF);
        uint[] found = new uint[ids.Length];
        Assert.That(Decode(code, bytes, announced, ids.Length, nodes, found), Is.True, $"{what}: {ids.Length} ids of {nodes} are a list");
        if (!found.AsSpan().SequenceEqual(ids))
            Assert.Fail($"{what}: {ids.Length} ids of {nodes}: expected {string.Join(',', ids)}, found {string.Join(',', found)}");
    }

    private static bool Decode(GapCode code, byte[] bytes, int length, int count, uint nodes, uint[] ids)
    {
        fixed (byte* source = bytes)
        fixed (uint* first = ids)
            return code.TryDecode(source, length, count, nodes, first);
    }

    private static GapCode Fitted(Random random, uint nodes)
    {
        int magnitudes = Math.Max(2, BitOperations.Log2(nodes) + 1);
        return GapCode.Fit([.. Enumerable.Range(0, magnitudes).Select(_ => (long)Math.Exp(random.NextDouble() * 9))]);
    }

    private static byte[] Lengths(params byte[] first) => [.. first, .. Enumerable.Repeat((byte)0, GapCode.Magnitudes - first.Length)];

    private static uint Nodes(Random random) => random.Next(3) switch
    {
        0 => (uint)random.Next(1, 20),
        1 => (uint)random.Next(1, 5000),
        _ => (uint)random.NextInt64(1, 4_000_000_000),
    };

    private static (uint[] Ids, uint Nodes) Draw(Random random)
    {
        uint nodes = Nodes(random);
        int count = (int)Math.Min(nodes, random.Next(1, random.Next(2) == 0 ? 10 : NodeLayout.MaxLinks));
        uint span = random.Next(2) == 0 ? nodes : (uint)Math.Min(nodes, count * 2L);
        uint start = (uint)random.NextInt64(0, (long)nodes - span + 1);
        var ids = new SortedSet<uint>();
        while (ids.Count < count)
            ids.Add(start + (uint)random.NextInt64(0, span));
        return ([.. ids], nodes);
    }
}
