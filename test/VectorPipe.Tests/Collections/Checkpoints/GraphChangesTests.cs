using NUnit.Framework;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>A graph that changes gets as many pages as its slots fit into an array, and no more.</summary>
[TestFixture]
public sealed class GraphChangesTests
{
    [Test]
    public async Task Pages_are_added_up_to_the_bound_and_then_refused()
    {
        const int NodesPerPage = 10, Added = 21;
        await using ChangingCollection model = await ChangingCollection.BuildAsync(95, 1100);
        int pages = (int)model.Graph.NodePages, most = pages + Added;
        var changes = new GraphChanges(
            NodesPerPage, pages, model.Graph.PageGraph!.Copy(pages, pages), mostSlots: (most * NodesPerPage) + NodesPerPage - 1);
        Assert.That(changes.MostPages, Is.EqualTo(most));
        for (int i = 0; i < Added; i++)
            Assert.That(changes.AddPage(), Is.EqualTo((uint)(pages + i)));
        Assert.That(changes.Slots.Count, Is.EqualTo(most * NodesPerPage), "no room is made beyond the bound");
        Assert.That(changes.AddPage, Throws.TypeOf<IndexWriteException>().With.Message.Contains($"at most {most} pages"));
        Assert.That(changes.Pages, Is.EqualTo(most));
        Assert.That(GraphChanges.MostSlots / NodesPerPage * (long)NodesPerPage, Is.LessThanOrEqualTo(Array.MaxLength));
    }
}
