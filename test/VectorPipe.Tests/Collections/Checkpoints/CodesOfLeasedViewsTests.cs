using NUnit.Framework;
using VectorPipe.Collections.Generations;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Codes are shared by all views of a generation: a checkpoint leaves those alone that a view may still read.</summary>
[TestFixture]
public sealed class CodesOfLeasedViewsTests
{
    [Test]
    public async Task Codes_of_nodes_that_live_in_a_leased_view_stay(
        [Values(1, 2)] int seed, [Values] bool isBuilt)
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(50 + seed, 1100);
        if (!isBuilt)
            await model.CheckpointAsync(200, 1600);
        using (ViewLease lease = model.Collection.Store.State.Lease())
        {
            Dictionary<uint, byte[]> codes = CodesOf(lease.View);
            for (int i = 1; i <= 2; i++)
            {
                using ViewLease inForce = model.Collection.Store.State.Lease();
                Dictionary<uint, byte[]> before = CodesOf(inForce.View);
                await model.CheckpointAsync(200, 1600);
                AssertUnchanged(model.Graph, codes, $"of the leased view after {i} checkpoints");
                AssertUnchanged(model.Graph, before, $"of the view before checkpoint {i}");
            }
        }

        // Nobody reads the older views any more: their slots are used again.
        int reused = ReusedSlots(model.Changes);
        await model.CheckpointAsync(200, 1600);
        Assert.That(ReusedSlots(model.Changes), Is.GreaterThan(reused));
        await model.CheckAsync("at the end");
    }

    private static Dictionary<uint, byte[]> CodesOf(CollectionView view)
    {
        var graph = (GraphIndex)view.Generation!.Index.Contents;
        var codes = new Dictionary<uint, byte[]>();
        uint pages = (uint)(view.Changes?.Pages ?? graph.NodePages), nodesPerPage = (uint)graph.Layout.NodesPerPage;
        for (uint page = 0; page < pages; page++)
        {
            for (uint slot = 0; slot < nodesPerPage; slot++)
            {
                uint id = (page * nodesPerPage) + slot;
                if (view.Changes is { } changes ? changes.IsLive(id) : slot < graph.NodesOf(page))
                    codes.Add(id, CodeOf(graph, id));
            }
        }

        return codes;
    }

    private static void AssertUnchanged(GraphIndex graph, Dictionary<uint, byte[]> codes, string which)
    {
        uint[] changed = [.. codes.Keys.Where(id => !CodeOf(graph, id).AsSpan().SequenceEqual(codes[id]))];
        Assert.That(changed, Is.Empty, $"codes of {codes.Count} nodes {which}");
    }

    private static byte[] CodeOf(GraphIndex graph, uint id) => [.. graph.CodeOf(id)];

    private static int ReusedSlots(GraphChanges changes) => changes.Slots.Count(slot => slot >> 1 > 1);
}
