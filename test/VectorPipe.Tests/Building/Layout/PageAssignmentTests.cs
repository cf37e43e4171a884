using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>Every row has one place in a page, the same at any number of threads.</summary>
public sealed class PageAssignmentTests
{
    [Test]
    public void Every_row_has_one_place_the_same_at_any_number_of_threads(
        [Values(1, 2, 11, 12, 13, 25, 700)] int count, [Values(1, 5, 12)] int nodesPerPage, [
            Values(7, 100, PageAssignment.ChunkRows)] int chunkRows)
    {
        using NearestTable nearest = NearestCases.Hubs(RandomizedTest.Start(), count, Math.Min(1, count / 3), length: 5);
        int reported = 0;
        int[] one = Run(1), three = Run(3);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(one.Order(), Is.EqualTo(Enumerable.Range(0, count)), "every row once");
            Assert.That(three, Is.EqualTo(one), "three threads");
            Assert.That(reported, Is.EqualTo(2 * count), "rows reported as done");
        }

        int[] Run(int threads) =>
            PageAssignment.Run(nearest, null, nodesPerPage, 1, threads, rows => Interlocked.Add(ref reported, rows), default, chunkRows);
    }

    [Test]
    public void Rows_stay_within_their_chunk()
    {
        using NearestTable nearest = NearestCases.Clustered(RandomizedTest.Start(), 600);
        int[] order = PageAssignment.Run(nearest, null, 12, 1, 2, _ => { }, default, chunkRows: 200);
        for (int first = 0; first < 600; first += 204)
            Assert.That(order.Skip(first).Take(204), Is.All.InRange(first, Math.Min(first + 203, 599)), "chunks of 17 whole pages");
    }

    [Test]
    public void Neighbours_share_pages_far_more_than_by_chance()
    {
        using NearestTable nearest = NearestCases.Clustered(RandomizedTest.Start(), 900);
        int[] order = PageAssignment.Run(nearest, null, 12, 1, 1, _ => { }, default);
        double share = NearestCases.ShareInPage(nearest, order, 12),
            chance = NearestCases.ShareInPage(nearest, [.. Enumerable.Range(0, 900)], 12);
        TestContext.Out.WriteLine($"share of ten nearest in the page: {share:F3}, in row order {chance:F3}");
        Assert.That(share, Is.GreaterThan(0.3).And.GreaterThan(5 * chance));
    }

    [Test]
    public void Cancellation_ends_the_work()
    {
        using NearestTable nearest = NearestCases.Clustered(RandomizedTest.Start(), 100);
        Assert.That(
            () => PageAssignment.Run(nearest, null, 12, 1, 2, _ => { }, new CancellationToken(canceled: true)),
            Throws.InstanceOf<OperationCanceledException>());
    }
}
