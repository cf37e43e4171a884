using Microsoft.Win32.SafeHandles;
using NUnit.Framework;
using VectorPipe.Collections.Generations;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Pages that checkpoints wrote are sound: vectors of nodes, replicas of nodes that live, links that lead somewhere.</summary>
[TestFixture]
public sealed class ChangedPagesTests
{
    private int _stale;
    private int _replicas;
    private int _reused;

    /// <param name="seed">Seed.</param>
    /// <param name="writes">Writes of a checkpoint: of few, most pages stay, with replicas of nodes that die.</param>
    /// <param name="checkpoints">Checkpoints.</param>
    [TestCase(31, 24, 4)]
    [TestCase(32, 200, 3)]
    public async Task Every_page_after_each_checkpoint(int seed, int writes, int checkpoints)
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(seed, 1100, ChangingCollection.Options with
        {
            Tuning = ChangingCollection.Options.Tuning with { LeastWaiting = 20 },
        });
        _stale = _replicas = _reused = 0;
        for (int i = 0; i < checkpoints; i++)
        {
            GraphChanges? before = model.View.Changes;
            using ViewLease lease = model.Collection.Store.State.Lease();
            PageGraph memory = before?.PageGraph ?? model.Graph.PageGraph!;
            byte[] built = memory.BlockOf(3).ToArray();
            (uint[] Places, byte[] Slots)? kept = before is null ? null : ([.. before.Places], [.. before.Slots.States]);
            await model.CheckpointAsync(writes, 1600);
            Assert.That(memory.BlockOf(3).SequenceEqual(built), "a checkpoint changes a copy");
            if (kept is { } old)
            {
                Assert.That(before!.Places, Is.EqualTo(old.Places), "searches have seen them");
                Assert.That(before.Slots.States.SequenceEqual(old.Slots), "searches have seen them");
            }

            Check(model);
        }

        TestContext.Out.WriteLine($"{_replicas} replicas, {_stale} of nodes that died, {_reused} slots used again");
        Assert.That(new[] { _replicas, writes < 100 ? _stale : _reused }, Is.All.GreaterThan(0));
    }

    [Test]
    public async Task A_new_node_leaves_room_for_links_of_others()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(33, 1100, ChangingCollection.Options with
        {
            Tuning = ChangingCollection.Options.Tuning with { LeastWaiting = 20 },
        });
        int[] keys = [.. Enumerable.Range(2000, 24)];
        await model.UpsertAsync(keys);
        await model.SettleAsync();
        Assert.That(model.Checkpoint, Is.EqualTo(1), "nodes were placed");
        int[] links = [.. keys.Select(key => OwnLinks(model, key))];
        TestContext.Out.WriteLine($"own links: {string.Join(' ', links.Order())}");
        Assert.That(links, Is.All.LessThanOrEqualTo(100));
        Assert.That(links.Sum(), Is.GreaterThan(0));
    }

    private static unsafe int OwnLinks(ChangingCollection model, int key)
    {
        GraphIndex graph = model.Graph;
        Assert.That(graph.Keys.Moved.TryFind((ulong)key, out uint? id) && id is not null, $"{key} was placed");
        using SafeFileHandle file = FileStorageIo.Instance.OpenForReading(graph.NodePath);
        using var buffer = new NativeBuffer((nuint)graph.Layout.PageSize);
        uint nodesPerPage = (uint)graph.Layout.NodesPerPage;
        graph.Read(file, id!.Value / nodesPerPage, buffer, model.Changes);
        return new NodePage(buffer.Pointer, graph.Layout).LinkCount((int)(id.Value % nodesPerPage));
    }

    private unsafe void Check(ChangingCollection model)
    {
        GraphIndex graph = model.Graph;
        NodeLayout layout = graph.Layout;
        GraphChanges changes = model.Changes;
        Assert.That(changes.FindDefect(), Is.Null);
        var found = new Dictionary<int, byte[]>();
        uint last = changes.Writers.Max();
        using SafeFileHandle file = FileStorageIo.Instance.OpenForReading(graph.NodePath);
        using var buffer = new NativeBuffer((nuint)layout.PageSize);
        for (uint number = 0; number < changes.Pages; number++)
        {
            graph.Read(file, number, buffer, changes);
            var page = new NodePage(buffer.Pointer, layout);
            Assert.That(page.FindDefect() ?? page.FindMisplaced(number, changes.NodeCount, hasHoles: true), Is.Null, $"page {number}");
            for (int slot = 0; slot < layout.NodesPerPage; slot++)
            {
                uint id = (number * (uint)layout.NodesPerPage) + (uint)slot;
                _reused += changes.Slots.VersionOf((uint)id) > 1 ? 1 : 0;
                if (!changes.IsLive(id))
                    continue;
                Assert.That(slot < page.Count && page.State(slot) == NodeState.Live, $"node {id} is in its page");
                Assert.That(found.TryAdd((int)page.Key(slot), page.Vector(slot).ToArray()), $"key {page.Key(slot)} is in one page");
            }

            bool isNew = changes.Writers[number] == last;
            CheckLinks(page, number, changes, isNew);
            CheckReplicas(page, layout, changes, model.Records, isNew);
        }

        ChangingCollection.AssertSame(found, model.Records, "by pages");
        foreach ((ulong key, uint? id) in graph.Keys.Moved.All())
            Assert.That(id is { } node ? changes.IsLive(node) : !model.Records.ContainsKey((int)key), $"key {key} has moved to {id}");
    }

    private static void CheckLinks(NodePage page, uint number, GraphChanges changes, bool isNew)
    {
        uint[] links = new uint[NodeLayout.MaxLinks];
        for (int slot = 0; slot < page.Count; slot++)
        {
            int count = page.LinkCount(slot);
            Assert.That(page.TryReadLinks(slot, changes.NodeCount, links), $"links of slot {slot} of page {number}");
            if (isNew)
                Assert.That(links.Take(count).All(changes.IsLive), $"page {number} was written with links to nodes that live");
        }
    }

    private void CheckReplicas(
        NodePage page, NodeLayout layout, GraphChanges changes, Dictionary<int, byte[]> records, bool isNew)
    {
        for (int replica = 0; replica < page.ReplicaCount; replica++)
        {
            int slot = layout.NodesPerPage + replica;
            bool isCurrent = changes.Slots.IsCurrent(page.ReplicaId(replica), page.Version(slot));
            _replicas++;
            _stale += isCurrent ? 0 : 1;
            if (isCurrent)
                Assert.That(records[(int)page.Key(slot)].AsSpan().SequenceEqual(page.Vector(slot)), "a replica repeats its node");
            else
                Assert.That(isNew, Is.False, "a page was written with replicas of nodes that live");
        }
    }
}
