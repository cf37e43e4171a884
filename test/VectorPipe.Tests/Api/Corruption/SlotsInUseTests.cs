using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Tests.Api.Merged;

namespace VectorPipe.Tests.Api.Corruption;

/// <summary>A page with a right checksum and a wrong number of nodes is an error: no node is lost or invented.</summary>
internal sealed class SlotsInUseTests
{
    [Test]
    [Spread]
    public async Task A_page_with_another_number_of_nodes_is_named_by_search_and_verification(
        [Values(IndexLayout.Merged, IndexLayout.Plain)] IndexLayout layout, [Values(-1, 1)] int more)
    {
        using TestIndex test = TestIndex.Build(count: 601, dimension: 128, layout: layout);
        var pages = new MergedPages(test);
        int last = pages.Count - 1;
        Assume.That(pages.Nodes(last), Is.LessThan(pages.Layout.NodesPerPage).And.GreaterThanOrEqualTo(1));

        // In a merged page the lists of links show it first.
        string expected = layout == IndexLayout.Merged
            ? $"page {last + 1}:"
            : $"expected {pages.Nodes(last)} slots in use, found {pages.Nodes(last) + more}";
        pages.Save(last, pages.Nodes(last) + more);
        Assert.That((await VectorIndex.VerifyAsync(test.Directory)).Defects, Has.Some.Contains(expected));
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        SearchOptions walk = new() { Graph = new GraphSearch { ListSize = test.Count } }, exact = new() { Mode = SearchMode.Exact };

        // A walk need not read a merged page whose only node it has met as a replica.
        foreach (SearchOptions options in layout == IndexLayout.Merged ? new[] { exact } : [walk, exact])
        {
            Assert.That(
                () => session.Search<byte>(test.MakeQueries(1), 10, new SearchHit[10], options),
                Throws.InstanceOf<IndexCorruptException>().With.Message.Contains(expected),
                $"{options.Mode}");
        }
    }
}
