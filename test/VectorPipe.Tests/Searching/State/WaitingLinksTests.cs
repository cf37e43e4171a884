using NUnit.Framework;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Searching.State;

/// <summary>Links that wait, packed into four bytes and, in graphs that are too large for that, in five.</summary>
[TestFixture(MostPacked)]
[TestFixture(MostPacked + 1)]
public sealed class WaitingLinksTests(long mostNodes)
{
    private const int NodesPerPage = 12;
    private const long MostPacked = 1L << 28;

    private int LinkBytes => mostNodes <= MostPacked ? 4 : 5;

    [Test]
    public void Links_that_copies_add_are_not_seen_by_the_original()
    {
        const int Pages = 5;
        var random = new Random(1);
        WaitingLinks original = Create(Pages);
        List<WaitingLink>[] expected = [.. Enumerable.Range(0, Pages).Select(_ => new List<WaitingLink>())];
        for (int version = 0; version < 40; version++)
        {
            // The first copy fails: the second one adds at the same places.
            foreach (bool fails in new[] { true, false })
            {
                WaitingLink[][] before = [.. expected.Select(links => links.ToArray())];
                WaitingLinks copy = Create(Pages);
                copy.CopyFrom(original, Pages);
                List<WaitingLink>[] added = [.. expected.Select(links => links.ToList())];
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
    public void The_highest_node_and_slot_are_kept()
    {
        WaitingLinks links = Create(2);
        WaitingLink[] ends =
        [
            new((uint)(mostNodes - 1), NodesPerPage - 1), new(0, 0), new((uint)(mostNodes - 1), 0), new(0, NodesPerPage - 1),
        ];
        foreach (WaitingLink link in ends)
            links.Add(1, link);
        AssertEqual(links, [[], ends]);
    }

    [Test]
    public void Links_that_were_expected_take_no_more_memory()
    {
        const int Pages = 40, PerPage = 25;
        WaitingLinks links = Create(Pages);
        links.CopyFrom(Create(Pages), Pages, Pages * PerPage);
        long before = links.MemoryBytes;
        for (int link = 0; link < PerPage; link++)
        {
            for (uint page = 0; page < Pages; page++)
                links.Add(page, new WaitingLink((uint)link, 0));
        }

        Assert.That(links.MemoryBytes, Is.EqualTo(before));
        Assert.That(before, Is.LessThan(100L * Pages * PerPage * LinkBytes));
    }

    [Test]
    public void Pages_that_are_added_have_no_links()
    {
        WaitingLinks links = Create(1);
        links.Add(0, new WaitingLink(1, 2));
        links.Grow(3);
        links.Add(2, new WaitingLink(3, 4));
        AssertEqual(links, [[new WaitingLink(1, 2)], [], [new WaitingLink(3, 4)]]);
    }

    [Test]
    public void Trimmed_links_take_no_more_than_their_bytes()
    {
        const int Pages = 40;
        var random = new Random(2);
        WaitingLinks links = Create(Pages);
        long none = links.MemoryBytes;
        List<WaitingLink>[] expected = [.. Enumerable.Range(0, Pages).Select(_ => new List<WaitingLink>())];
        for (int step = 0; step < 4000; step++)
            Change(random, links, expected);
        links.Trim();
        Assert.That(links.MemoryBytes, Is.EqualTo(none + (expected.Sum(list => list.Count) * LinkBytes)));
        AssertEqual(links, expected);
    }

    private WaitingLinks Create(int pages) => new(pages, NodesPerPage, mostNodes);

    private void Change(Random random, WaitingLinks links, List<WaitingLink>[] expected)
    {
        int page = random.Next(expected.Length);
        if (random.Next(12) == 0)
        {
            links.Clear((uint)page);
            expected[page].Clear();
            return;
        }

        if (random.Next(8) == 0 && expected[page].Count > 0)
        {
            int first = random.Next(expected[page].Count);
            uint before = expected[page][random.Next(expected[page].Count)].Target, after = (uint)random.NextInt64(mostNodes);
            links.Retarget((uint)page, first, new() { [before] = after });
            for (int at = first; at < expected[page].Count; at++)
            {
                if (expected[page][at].Target == before)
                    expected[page][at] = expected[page][at] with { Target = after };
            }

            return;
        }

        for (int more = random.Next(1, 9); more > 0; more--)
        {
            var link = new WaitingLink((uint)random.NextInt64(mostNodes), random.Next(NodesPerPage));
            links.Add((uint)page, link);
            expected[page].Add(link);
        }
    }

    private static void AssertEqual(WaitingLinks links, IReadOnlyList<IReadOnlyList<WaitingLink>> expected)
    {
        for (int page = 0; page < expected.Count; page++)
        {
            PageWaitingLinks found = links[(uint)page];
            Assert.That(links.HasAny((uint)page), Is.EqualTo(found.Count > 0));
            Assert.That(found.ToArray(), Is.EqualTo(expected[page]), $"page {page}");
            foreach (int most in new[] { 0, 1, found.Count, found.Count + 1 })
                Assert.That(Targets(links, (uint)page, most), Is.EqualTo(expected[page].Take(most).Select(link => link.Target)));
        }
    }

    private static unsafe uint[] Targets(WaitingLinks links, uint page, int most)
    {
        uint[] targets = new uint[most + 1];
        links.Prefetch(page);
        fixed (uint* copied = targets)
            return targets[..links.CopyTargets(page, copied, most)];
    }
}
