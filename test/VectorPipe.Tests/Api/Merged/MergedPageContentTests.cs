using NUnit.Framework;

namespace VectorPipe.Tests.Api.Merged;

/// <summary>A merged page holds nodes, replicas from other pages, and links that lead out.</summary>
public sealed class MergedPageContentTests
{
    [TestCase(VectorElementType.UInt8, 3, 700)]
    [TestCase(VectorElementType.UInt8, 128, 900, Category = "Heavy")]
    [TestCase(VectorElementType.Float32, 72, 600)]
    [TestCase(VectorElementType.Float32, 300, 300, Category = "Heavy")]
    [TestCase(VectorElementType.Float16, 2100, 60)]
    [TestCase(VectorElementType.Int8, 128, 13)]
    public void Replicas_come_from_other_pages_and_links_lead_out_of_the_page(VectorElementType type, int dimension, int count)
    {
        using TestIndex test = TestIndex.Build(type: type, dimension: dimension, count: count, codeBytes: Math.Min(16, dimension));
        var pages = new MergedPages(test);
        int replicas = 0, links = 0;
        for (int page = 0; page < pages.Count; page++)
        {
            int own = page;
            uint[] copies = [.. pages.Ids(page).Skip(pages.Nodes(page))];
            Assert.That(copies, Is.Ordered.And.Unique, $"replicas of page {page}");
            Assert.That(
                copies.Where(id => id / pages.Layout.NodesPerPage == own), Is.Empty, $"replicas of page {page}: none of its own nodes");
            for (int i = 0; i < copies.Length; i++)
                AssertCopy(pages, page, i, (int)copies[i]);
            uint[] led = [.. Enumerable.Range(0, pages.Nodes(page)).SelectMany(slot => pages.Links(own, slot))];
            Assert.That(led, Is.Unique, $"links of page {page}: none twice");
            Assert.That(led.Intersect(pages.Ids(page)), Is.Empty, $"links of page {page}: none to its own vectors");
            replicas += copies.Length;
            links += led.Length;
        }

        TestContext.Out.WriteLine(
            $"{pages.Layout.NodesPerPage}+{pages.Layout.ReplicasPerPage} a page: {(double)replicas / pages.Count:F1} replicas, "
            + $"{(double)links / pages.Count:F0} links");
        Assert.That(links + replicas, Is.GreaterThan(0), "pages lead to others");
    }

    private static void AssertCopy(MergedPages pages, int page, int replica, int id)
    {
        int home = id / pages.Layout.NodesPerPage, slot = id % pages.Layout.NodesPerPage, copy = pages.Layout.NodesPerPage + replica;
        Assert.That(pages.Key(page, copy), Is.EqualTo(pages.Key(home, slot)), $"key of node {id} in page {page}");
        Assert.That(pages.Vector(page, copy).SequenceEqual(pages.Vector(home, slot)), Is.True, $"vector of node {id} in page {page}");
    }
}
