using NUnit.Framework;
using VectorPipe.Storage.Nodes;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Storage.Nodes;

/// <summary>A block of the page graph holds the most valuable links that fit.</summary>
public sealed unsafe class PageGraphBlockTests
{
    [Test]
    public void The_most_valuable_links_that_fit_are_kept()
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 600; i++)
        {
            uint nodes = (uint)(random.Next(2) == 0 ? random.Next(1, 3000) : random.Next(1, int.MaxValue));
            uint[] ranked = Draw(random, nodes, (int)Math.Min(nodes, random.Next(0, 300)));
            byte[] block = new byte[random.Next(PageGraphBlock.LeastBytes, 600)];
            int written = PageGraphBlock.Write(ranked, nodes, block);
            Assert.That(
                written, Is.EqualTo(MostThatFit(ranked, nodes, block.Length)),
                $"case {i}: links in {block.Length} bytes, {ranked.Length} ranked of {nodes} nodes");
            Assert.That(Read(block, nodes), Is.EqualTo(ranked.Take(written).Order()), $"case {i}");
        }
    }

    [Test]
    public void A_larger_block_never_holds_fewer_links([Values(40u, 1000u, 4096u, 1_000_000u)] uint nodes)
    {
        uint[] ranked = [.. Enumerable.Range(0, (int)Math.Min(nodes, 255)).Select(i => (uint)i)];
        int before = 0;
        for (int bytes = PageGraphBlock.LeastBytes; bytes < 400; bytes++)
        {
            int written = PageGraphBlock.Write(ranked, nodes, new byte[bytes]);
            Assert.That(written, Is.AtLeast(before), $"{bytes} bytes");
            before = written;
        }
    }

    [Test]
    public void A_block_without_links_is_empty()
    {
        byte[] block = new byte[40];
        Assert.That(PageGraphBlock.Write([], 1000, block), Is.Zero);
        Assert.That(Read(block, 1000), Is.Empty);
    }

    [Test]
    public void Damaged_bytes_are_a_list_of_the_counted_length_or_none()
    {
        Random random = RandomizedTest.Start();
        uint[] ids = new uint[PageGraphBlock.MaxLinks + 1];
        for (int i = 0; i < 3000; i++)
        {
            byte[] block = new byte[random.Next(1, 120) + EliasFanoCode.Padding];
            random.NextBytes(block);
            ids[^1] = 0xC0FFEE;
            fixed (byte* first = block)
            fixed (uint* found = ids)
                Assert.That(
                    PageGraphBlock.Read(first, block.Length - EliasFanoCode.Padding, (uint)random.Next(1, int.MaxValue), found),
                    Is.EqualTo(-1).Or.EqualTo(block[0]), $"case {i}");
            Assert.That(ids[^1], Is.EqualTo(0xC0FFEEu), $"case {i}: more ids than a block may hold");
        }
    }

    private static int MostThatFit(uint[] ranked, uint nodes, int bytes)
    {
        for (int count = Math.Min(ranked.Length, PageGraphBlock.MaxLinks); count > 0; count--)
        {
            if (1 + EliasFanoCode.ByteLength([.. ranked.Take(count).Order()], nodes) <= bytes)
                return count;
        }

        return 0;
    }

    private static uint[] Draw(Random random, uint nodes, int count)
    {
        // A third of the blocks leads only to low ids, whose lists are the shortest.
        uint span = random.Next(3) == 0 ? (uint)Math.Min(nodes, count * 2L) : nodes;
        var ids = new HashSet<uint>();
        while (ids.Count < count)
            ids.Add((uint)random.NextInt64(0, span));
        return [.. ids];
    }

    private static uint[] Read(byte[] block, uint nodes)
    {
        byte[] padded = [.. block, .. Enumerable.Repeat((byte)0xFF, EliasFanoCode.Padding)];
        uint[] ids = new uint[PageGraphBlock.MaxLinks];
        fixed (byte* first = padded)
        fixed (uint* found = ids)
            return ids[..PageGraphBlock.Read(first, block.Length, nodes, found)];
    }
}
