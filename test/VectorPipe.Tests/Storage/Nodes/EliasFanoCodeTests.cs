using NUnit.Framework;
using VectorPipe.Storage.Nodes;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Storage.Nodes;

/// <summary>Coded lists of links are read back, and damaged bytes never lead out of the page.</summary>
public sealed unsafe class EliasFanoCodeTests
{
    private const uint MaxNodes = 4_000_000_000;

    [TestCase(1u, 1)]
    [TestCase(1u, 0)]
    [TestCase(7u, 7)]
    [TestCase(1000u, 1000)]
    [TestCase(1000u, 999)]
    [TestCase(MaxNodes, 1024)]
    public void The_lowest_ids_are_read_back(uint nodes, int count) =>
        AssertComesBack([.. Enumerable.Range(0, count).Select(i => (uint)i)], nodes, "dense");

    [TestCase(1000u, 10)]
    [TestCase(uint.MaxValue, 1)]
    [TestCase(uint.MaxValue, 1024)]
    [TestCase(MaxNodes, 255)]
    public void The_highest_ids_are_read_back(uint nodes, int count) =>
        AssertComesBack([.. Enumerable.Range(0, count).Select(i => nodes - (uint)count + (uint)i)], nodes, "highest");

    [Test]
    public void Any_list_is_read_back_from_the_announced_number_of_bytes()
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 2000; i++)
        {
            (uint[] ids, uint nodes) = Draw(random);
            AssertComesBack(ids, nodes, $"list {i}");
        }
    }

    [Test]
    public void The_bytes_of_a_list_follow_from_its_length_and_its_highest_id()
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 500; i++)
        {
            (uint[] ids, uint nodes) = Draw(random);
            Assert.That(
                EliasFanoCode.ByteLength(ids.Length, ids[^1], nodes), Is.EqualTo(EliasFanoCode.ByteLength(ids, nodes)),
                $"list {i}: {ids.Length} of {nodes}");
        }
    }

    [Test]
    public void Evenly_spread_links_take_about_two_bits_more_than_the_logarithm_of_their_distance()
    {
        uint[] ids = [.. Enumerable.Range(0, 45).Select(i => (uint)(i * 22_222))];
        Assert.That(EliasFanoCode.ByteLength(ids, 1_000_000) / 45.0, Is.EqualTo(2.1).Within(0.1), "bytes a link, as documented");
    }

    [Test]
    public void Damaged_bytes_are_a_list_or_none_and_later_bytes_do_not_matter()
    {
        Random random = RandomizedTest.Start();
        uint[] first = new uint[NodeLayout.MaxLinks + 1], second = new uint[NodeLayout.MaxLinks + 1];
        int refused = 0, read = 0;
        for (int i = 0; i < 3000; i++)
        {
            uint nodes = Nodes(random);
            int length = random.Next(0, 200), count = random.Next(0, random.Next(2) == 0 ? 40 : NodeLayout.MaxLinks + 1);
            byte[] bytes = new byte[length + EliasFanoCode.Padding + 64];
            random.NextBytes(bytes);
            first[count] = second[count] = 0xC0FFEE;
            bool isList = Decode(bytes, length, count, nodes, first);

            // The answer must not depend on bytes that the decoder may not read.
            random.NextBytes(bytes.AsSpan(length + EliasFanoCode.Padding));
            Assert.That(
                Decode(bytes, length, count, nodes, second), Is.EqualTo(isList),
                $"case {i}: the answer depends on bytes after the padding");
            if (isList && !first.AsSpan(0, count).SequenceEqual(second.AsSpan(0, count)))
                Assert.Fail($"case {i}: the ids depend on bytes after the padding");
            Assert.That((first[count], second[count]), Is.EqualTo((0xC0FFEEu, 0xC0FFEEu)), $"case {i}: more than {count} ids were written");
            refused += isList ? 0 : 1;
            read += isList ? 1 : 0;
        }

        Assert.That(Math.Min(refused, read), Is.GreaterThan(100), "both outcomes occur");
    }

    [Test]
    public void A_list_cut_short_is_refused()
    {
        uint[] ids = [.. Enumerable.Range(0, 50).Select(i => (uint)(i * 1000))];
        byte[] bytes = new byte[EliasFanoCode.ByteLength(ids, 100_000) + EliasFanoCode.Padding];
        int length = EliasFanoCode.Encode(ids, 100_000, bytes);

        // The last word may reach into zeros after the cut, but cuts of whole words always lose ids.
        for (int cut = length - sizeof(ulong); cut >= 0; cut--)
            Assert.That(
                Decode(bytes[..(cut + EliasFanoCode.Padding)], cut, ids.Length, 100_000, new uint[50]), Is.False,
                $"{cut} of {length} bytes");
    }

    private static void AssertComesBack(uint[] ids, uint nodes, string what)
    {
        int announced = EliasFanoCode.ByteLength(ids, nodes);
        byte[] bytes = new byte[announced + EliasFanoCode.Padding];
        int length = EliasFanoCode.Encode(ids, nodes, bytes.AsSpan(0, announced));
        Assert.That(length, Is.EqualTo(announced), $"{what}: bytes of {ids.Length} ids of {nodes}");

        // The next list follows, and must not be read as part of this one.
        bytes.AsSpan(length).Fill(0xFF);
        uint[] found = new uint[ids.Length];
        Assert.That(Decode(bytes, length, ids.Length, nodes, found), Is.True, $"{what}: {ids.Length} ids of {nodes} are a list");
        if (!found.AsSpan().SequenceEqual(ids))
            Assert.Fail($"{what}: {ids.Length} ids of {nodes}: expected {string.Join(',', ids)}, found {string.Join(',', found)}");
    }

    private static bool Decode(byte[] bytes, int length, int count, uint nodes, uint[] ids)
    {
        fixed (byte* source = bytes)
        fixed (uint* first = ids)
            return EliasFanoCode.TryDecode(source, length, count, nodes, first);
    }

    private static uint Nodes(Random random) => random.Next(4) switch
    {
        0 => (uint)random.Next(1, 20),
        1 => (uint)random.Next(1, 5000),
        2 => (uint)random.Next(1, int.MaxValue),
        _ => (uint)random.NextInt64(1, MaxNodes),
    };

    private static (uint[] Ids, uint Nodes) Draw(Random random)
    {
        uint nodes = Nodes(random);
        int count = (int)Math.Min(nodes, random.Next(1, random.Next(2) == 0 ? 10 : NodeLayout.MaxLinks));

        // Half of the lists have close ids, with long runs of ones in the high part.
        uint span = random.Next(2) == 0 ? nodes : (uint)Math.Min(nodes, count * 2L);
        uint start = (uint)random.NextInt64(0, (long)nodes - span + 1);
        var ids = new SortedSet<uint>();
        while (ids.Count < count)
            ids.Add(start + (uint)random.NextInt64(0, span));
        return ([.. ids], nodes);
    }
}
