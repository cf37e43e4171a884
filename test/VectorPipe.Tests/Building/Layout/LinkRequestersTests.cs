using NUnit.Framework;
using VectorPipe.Building.Layout;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>The requests to a page are complete, and the most important ones come first.</summary>
public sealed class LinkRequestersTests
{
    [Test]
    public void The_requesters_of_every_page_come_by_rank_and_node(
        [Values(1, 7, 12)] int nodesPerPage, [Values(1, 5, 1000)] int rangePages, [Values(9, 35)] int length)
    {
        Random random = RandomizedTest.Start();
        const int count = 600;
        using var requests = new PageLinkRequests(count, length);
        for (int node = 0; node < count; node++)
        {
            requests.Of(node).Fill(PageLinkRequests.None);
            for (int rank = 0, ranks = random.Next(length + 1); rank < ranks; rank++)
                requests.Of(node)[rank] = (uint)random.Next(count);
        }

        ILookup<int, LinkRequester> expected = Expected(requests, nodesPerPage);
        var requesters = new LinkRequesters(nodesPerPage);
        int pages = (count - 1) / nodesPerPage + 1;
        for (int first = 0; first < pages; first += rangePages)
        {
            requesters.Collect(requests, first, Math.Min(rangePages, pages - first), default);
            for (int page = first; page < Math.Min(first + rangePages, pages); page++)
                Assert.That(requesters.Sort(page).ToArray(), Is.EqualTo(expected[page]), $"page {page}");
        }
    }

    [Test]
    public void The_order_of_shuffled_rows_does_not_matter(
        [Values(1, 7, 12)] int nodesPerPage, [Values(1, 5, 1000)] int rangePages)
    {
        Random random = RandomizedTest.Start();
        const int count = 400;
        using var requests = new PageLinkRequests(count, 9);
        for (int node = 0; node < count; node++)
        {
            requests.Of(node).Fill(PageLinkRequests.None);
            for (int rank = 0; rank < random.Next(10); rank++)
                requests.Of(node)[rank] = (uint)random.Next(count);
        }

        LinkRequesters held = new(nodesPerPage), shuffled = new(nodesPerPage);
        int pages = (count - 1) / nodesPerPage + 1;
        for (int first = 0; first < pages; first += rangePages)
        {
            int range = Math.Min(rangePages, pages - first);
            ShuffledLinkRequest[] rows =
            [
                .. Enumerable.Range(0, count).SelectMany(
                    node => requests.Of(node).ToArray().Select((id, rank) => new ShuffledLinkRequest((uint)node, id, (ushort)rank)))
                    .Where(
                        row =>
                        row.Owner != PageLinkRequests.None && row.Owner / nodesPerPage >= first
                        && row.Owner / nodesPerPage < first + range),
            ];
            random.Shuffle(rows);
            held.Collect(requests, first, range, default);
            shuffled.Take(rows, first, range);
            for (int page = first; page < first + range; page++)
                Assert.That(shuffled.Sort(page).ToArray(), Is.EqualTo(held.Sort(page).ToArray()), $"page {page}");
        }
    }

    // The requesters of each page.
    private static ILookup<int, LinkRequester> Expected(PageLinkRequests requests, int nodesPerPage) =>
        Enumerable.Range(0, requests.Count)
            .SelectMany(node => requests.Of(node).ToArray().Select((id, rank) => (node, id, rank)))
            .Where(tie => tie.id != PageLinkRequests.None)
            .OrderBy(tie => tie.rank).ThenBy(tie => tie.node)
            .ToLookup(
                tie => (int)tie.id / nodesPerPage, tie => new LinkRequester(tie.rank, (uint)tie.node, (int)tie.id % nodesPerPage));
}
