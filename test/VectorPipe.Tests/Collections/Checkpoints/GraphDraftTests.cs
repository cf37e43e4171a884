using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Tests.Searching.State;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>What goes with the nodes of a draft that get other slots.</summary>
public sealed class GraphDraftTests
{
    [Test]
    public async Task Nodes_that_move_take_their_codes_and_links_along()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(82, 1100);
        GraphIndex graph = model.Graph;
        uint nodesPerPage = (uint)graph.Layout.NodesPerPage;
        using var draft = new GraphDraft(graph, null, 2);
        for (uint page = 0; page < (uint)draft.Changes.Pages; page++)
        {
            while (draft.Changes.Slots.FreeSlot(page, GraphChanges.MostVersion) is { } room)
                draft.Changes.Slots.Take(room);
        }

        draft.Kill((2 * nodesPerPage) + 5);
        draft.Kill((3 * nodesPerPage) + 8);

        // The first takes a free slot, the second is alone in a page that is added for it. They move on to the other free slot, and to the
        // slot of the first.
        uint[] near = [.. Enumerable.Range(0, (int)graph.NodePages).Select(page => (uint)page * nodesPerPage)];
        draft.Add(2000, model.Next(), near);
        draft.Add(2001, model.Next(), [.. near[4..], draft.New.Ids.Single()]);
        Assert.That(draft.Changes.Pages, Is.EqualTo(graph.NodePages + 1));
        var placed = draft.New.Ids.ToDictionary(HandleOf);
        uint first = placed[2000], second = placed[2001];
        byte[][] codes = [graph.CodeOf(first).ToArray(), graph.CodeOf(second).ToArray()];
        Dictionary<uint, HashSet<uint>> links = LinksTo([first, second]);
        uint free = Enumerable.Range(0, (int)draft.Changes.NodeCount).Select(id => (uint)id).First(id => !draft.Changes.IsLive(id));
        draft.Changes.Slots.Return(second);
        draft.Changes.Slots.Take(free);

        draft.Settle(new() { [first] = free, [second] = first });

        Assert.That((HandleOf(free), HandleOf(first), draft.New.Count), Is.EqualTo((2000ul, 2001ul, 2)));
        Assert.That(graph.CodeOf(free).ToArray(), Is.EqualTo(codes[0]));
        Assert.That(graph.CodeOf(first).ToArray(), Is.EqualTo(codes[1]));
        draft.New.TryGet(first, out NewNode node);
        Assert.That(draft.New.LinksOf(node)[^1], Is.EqualTo(free), "its link follows the first one");
        Dictionary<uint, HashSet<uint>> after = LinksTo([free, first]);
        Assert.That(after[free], Is.EquivalentTo(links[first].Append(first / nodesPerPage)), "pages that lead to the first");
        Assert.That(after[first], Is.EquivalentTo(links[second].Append(second / nodesPerPage)), "pages that lead to the second");
        Assert.That(draft.Rewritten, Is.SupersetOf(new[] { free / nodesPerPage, first / nodesPerPage }));
        for (uint page = (uint)graph.NodePages; page < (uint)draft.Changes.Pages; page++)
            Assert.That(draft.Rewritten, Does.Contain(page), "a page that was added is in the file");

        ulong HandleOf(uint id) => draft.New.TryGet(id, out NewNode found) ? found.Handle : 0;

        Dictionary<uint, HashSet<uint>> LinksTo(uint[] ids)
        {
            var pages = ids.ToDictionary(id => id, _ => new HashSet<uint>());
            for (uint page = 0; page < (uint)draft.Changes.Pages; page++)
            {
                foreach (WaitingLink link in draft.Changes.Waiting[page].ToArray())
                {
                    if (pages.TryGetValue(link.Target, out HashSet<uint>? found))
                        found.Add(page);
                }
            }

            return pages;
        }
    }
}
