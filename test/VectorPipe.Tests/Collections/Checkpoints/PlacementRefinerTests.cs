using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>New nodes in pages of a few slots, with nearest nodes that are given.</summary>
public sealed class PlacementRefinerTests
{
    private const int NodesPerPage = 4;

    [Test]
    public void A_node_moves_to_the_free_slot_of_the_page_that_has_its_nearest_nodes()
    {
        // Page 0 is full but for one slot; the new node is in page 1.
        using var nodes = new NewNodes(1);
        NodeSlots slots = CreateSlots(2, [0, 1, 2]);
        Place(slots, nodes, 4, [0, 1, 2]);
        Dictionary<uint, uint> moved = Refine(slots, nodes);
        Assert.That(moved, Is.EqualTo(new Dictionary<uint, uint> { [4] = 3 }));
        Assert.That((slots.IsLive(3), slots.IsLive(4)), Is.EqualTo((true, false)));
        Assert.That(slots.VersionOf(4), Is.Zero, "nobody has seen the node there");
    }

    [Test]
    public void Two_nodes_in_each_others_pages_change_places()
    {
        using var nodes = new NewNodes(2);
        NodeSlots slots = CreateSlots(2, [0, 1, 2, 4, 5, 6]);
        Place(slots, nodes, 3, [4, 5, 6]);
        Place(slots, nodes, 7, [0, 1, 2]);
        Assert.That(Refine(slots, nodes), Is.EqualTo(new Dictionary<uint, uint> { [3] = 7, [7] = 3 }));
    }

    [Test]
    public void Nodes_do_not_change_places_for_what_they_mean_to_each_other()
    {
        // Each is the other's nearest, and all else that they are near to is in their own pages.
        using var nodes = new NewNodes(2);
        NodeSlots slots = CreateSlots(2, [0, 1, 2, 4, 5, 6]);
        Place(slots, nodes, 3, [7, 0, 1]);
        Place(slots, nodes, 7, [3, 4, 5]);
        Assert.That(Refine(slots, nodes), Is.Empty);
    }

    [Test]
    public void Who_was_placed_later_and_is_near_draws_the_earlier_one()
    {
        // The first was placed without a near node; the second, in page 1, found it.
        using var nodes = new NewNodes(2);
        NodeSlots slots = CreateSlots(2, [4]);
        Place(slots, nodes, 0, []);
        Place(slots, nodes, 5, [4, 0]);
        Assert.That(Refine(slots, nodes), Is.EqualTo(new Dictionary<uint, uint> { [0] = 6 }));
    }

    [Test]
    public void Every_move_gains_and_every_node_has_a_slot_of_its_own([Range(1, 20)] int seed)
    {
        const int Pages = 12, Slots = Pages * NodesPerPage;
        var random = new Random(seed);
        uint[] shuffled = [.. Enumerable.Range(0, Slots).Select(id => (uint)id).OrderBy(_ => random.Next())];
        int old = random.Next(Slots / 2), added = random.Next(1, Slots - old);
        uint[] oldIds = shuffled[..old], newIds = shuffled[old..(old + added)];
        NodeSlots slots = CreateSlots(Pages, oldIds);
        using var nodes = new NewNodes(added);
        foreach (uint id in newIds)
            Place(slots, nodes, id, [.. shuffled[..(old + added)].Where(near => near != id).OrderBy(_ => random.Next()).Take(20)]);

        using var refiner = new PlacementRefiner(slots, nodes, NodesPerPage);
        double before = refiner.TotalAffinity();
        for (int pass = 0; pass < 3; pass++)
        {
            for (int place = 0; place < refiner.Count; place++)
            {
                int moves = refiner.Refine(place, 1);
                double after = refiner.TotalAffinity();
                Assert.That(after, moves == 0 ? Is.EqualTo(before) : Is.GreaterThan(before));
                before = after;
            }
        }

        uint[] found = [.. newIds.Select(id => refiner.Moved.GetValueOrDefault(id, id))];
        Assert.That(found, Is.Unique);
        Assert.That(found.Intersect(oldIds), Is.Empty);
        for (uint id = 0; id < Slots; id++)
        {
            Assert.That(slots.IsLive(id), Is.EqualTo(oldIds.Contains(id) || found.Contains(id)), $"slot {id}");
            Assert.That(slots.VersionOf(id), Is.EqualTo(found.Contains(id) ? 1 : 0), $"slot {id}");
        }
    }

    [Test]
    public void Numbers_that_change_change_in_links_too()
    {
        using var nodes = new NewNodes(2);
        nodes.Add(3, 30, new byte[1], [7, 1]);
        nodes.Add(7, 70, new byte[1], [3, 2]);
        nodes.Renumber(new() { [3] = 7, [7] = 9 });
        Assert.That(nodes.Ids, Is.EquivalentTo(new uint[] { 7, 9 }));
        Assert.That(nodes.Contains(3), Is.False);
        foreach ((uint id, ulong handle, uint[] links) in new[] { (7u, 30ul, new uint[] { 9, 1 }), (9u, 70ul, [7, 2]) })
        {
            Assert.That(nodes.TryGet(id, out NewNode node));
            Assert.That((node.Handle, nodes.LinksOf(node).ToArray()), Is.EqualTo((handle, links)));
        }
    }

    private static Dictionary<uint, uint> Refine(NodeSlots slots, NewNodes nodes)
    {
        using var refiner = new PlacementRefiner(slots, nodes, NodesPerPage);
        while (refiner.Refine(0, refiner.Count) > 0)
        {
        }

        return refiner.Moved;
    }

    private static void Place(NodeSlots slots, NewNodes nodes, uint id, uint[] near)
    {
        slots.Take(id);
        nodes.Add(id, id, new byte[1], near);
    }

    private static NodeSlots CreateSlots(int pages, uint[] live)
    {
        var slots = new NodeSlots(pages, NodesPerPage);
        byte[] states = new byte[NodesPerPage];
        for (uint page = 0; page < (uint)pages; page++)
        {
            for (uint slot = 0; slot < NodesPerPage; slot++)
                states[slot] = (byte)(live.Contains((page * NodesPerPage) + slot) ? 1 : 0);
            slots.Set(page, states);
        }

        return slots;
    }
}
