using NUnit.Framework;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Searching.State;

public sealed class WaitingLinksTests
{
    [Test]
    public void Links_that_copies_add_are_not_seen_by_the_original()
    {
        const int Pages = 5;
        var random = new Random(1);
        var original = new WaitingLinks(Pages);
        List<byte>[] expected = [.. Enumerable.Range(0, Pages).Select(_ => new List<byte>())];
        for (int version = 0; version < 40; version++)
        {
            // The first copy fails: the second one adds at the same places.
            foreach (bool fails in new[] { true, false })
            {
                byte[][] before = [.. expected.Select(links => links.ToArray())];
                var copy = new WaitingLinks(Pages);
                copy.CopyFrom(original, Pages);
                List<byte>[] added = [.. expected.Select(links => links.ToList())];
                for (int step = 0; step < 10; step++)
                {
                    Change(random, copy, added);
                    if (random.Next(8) == 0)
                        copy.Trim();
                }

                AssertEqual(copy, added);
                AssertEqual(original, before);
                if (!fails)
                    (original, expected) = (copy, added);
            }
        }
    }

    [Test]
    public void Links_that_were_expected_take_no_more_memory()
    {
        const int Pages = 40, PerPage = 25;
        var links = new WaitingLinks(Pages);
        links.CopyFrom(new WaitingLinks(Pages), Pages, Pages * PerPage);
        long before = links.MemoryBytes;
        for (int link = 0; link < PerPage; link++)
        {
            for (uint page = 0; page < Pages; page++)
                links.Add(page, new byte[GraphChanges.LinkBytes]);
        }

        Assert.That(links.MemoryBytes, Is.EqualTo(before));
        Assert.That(before, Is.LessThan(100L * Pages * PerPage * GraphChanges.LinkBytes));
    }

    [Test]
    public void Pages_that_are_added_have_no_links()
    {
        var links = new WaitingLinks(1);
        links.Add(0, [1, 2, 3, 4, 5]);
        links.Grow(3);
        links.Add(2, [6, 7, 8, 9, 10]);
        Assert.That(links[0].ToArray(), Is.EqualTo(new byte[] { 1, 2, 3, 4, 5 }));
        Assert.That(links[1].ToArray(), Is.Empty);
        Assert.That(links[2].ToArray(), Is.EqualTo(new byte[] { 6, 7, 8, 9, 10 }));
    }

    [Test]
    public void Trimmed_links_take_no_more_than_their_bytes()
    {
        const int Pages = 40;
        var random = new Random(2);
        var links = new WaitingLinks(Pages);
        long none = links.MemoryBytes;
        List<byte>[] expected = [.. Enumerable.Range(0, Pages).Select(_ => new List<byte>())];
        for (int step = 0; step < 4000; step++)
            Change(random, links, expected);
        links.Trim();
        Assert.That(links.MemoryBytes, Is.EqualTo(none + expected.Sum(list => list.Count)));
        AssertEqual(links, expected);
    }

    private static void Change(Random random, WaitingLinks links, List<byte>[] expected)
    {
        int page = random.Next(expected.Length);
        if (random.Next(12) == 0)
        {
            links.Clear((uint)page);
            expected[page].Clear();
            return;
        }

        byte[] some = new byte[random.Next(1, 9) * GraphChanges.LinkBytes];
        random.NextBytes(some);
        links.Add((uint)page, some);
        expected[page].AddRange(some);
    }

    private static void AssertEqual(WaitingLinks links, IReadOnlyList<IReadOnlyList<byte>> expected)
    {
        for (int page = 0; page < expected.Count; page++)
            Assert.That(links[(uint)page].ToArray(), Is.EqualTo(expected[page]), $"page {page}");
    }
}
