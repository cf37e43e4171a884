using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Which nodes hold which shards.</summary>
internal sealed class PlacementTests
{
    private const int Sets = 3000;

    private static readonly ClusterNode[] _nodes =
        [.. Enumerable.Range(0, 6).Select(i => new ClusterNode(new Guid(i, 1, 2, new byte[8]), $"n{i}", $"h:{i}"))];

    [Test]
    public void Nodes_have_about_the_same_number_of_shards()
    {
        var counts = ChooseAll(_nodes).SelectMany(nodes => nodes).CountBy(node => node).ToDictionary();

        // Each is one of two of six: 1,000 on average, with a standard deviation of 26.
        Assert.That(counts.Values, Is.All.InRange(870, 1130));
    }

    [Test]
    public void Nodes_of_a_shard_are_different()
    {
        Assert.That(ChooseAll(_nodes).Select(nodes => nodes.Distinct().Count()), Is.All.EqualTo(2));
    }

    [Test]
    public void A_node_that_comes_takes_its_share_and_moves_nothing_else()
    {
        IReadOnlyList<Guid>[] before = ChooseAll(_nodes[..5]), after = ChooseAll(_nodes);
        int moved = before.Zip(after, (old, now) => now.Except(old).Count()).Sum();
        IEnumerable<Guid> arrived = before.Zip(after, (old, now) => now.Except(old)).SelectMany(nodes => nodes).Distinct();

        Assert.Multiple(() =>
        {
            Assert.That(moved, Is.InRange(870, 1130));
            Assert.That(arrived, Is.EqualTo(new[] { _nodes[5].Id }));
        });
    }

    [TestCase(3, 3, 2)]
    [TestCase(4, 3, 2)]
    [TestCase(12, 6, 3)]
    [TestCase(256, 5, 2)]
    [TestCase(1, 6, 2)]
    [TestCase(5, 2, 3)]
    public void No_node_has_more_than_its_share_of_a_set(int shards, int nodes, int replicas)
    {
        int holders = Math.Min(nodes, replicas);
        for (int set = 0; set < 50; set++)
        {
            IReadOnlyList<IReadOnlyList<Guid>> chosen = Placement.Choose(_nodes[..nodes], $"set{set}", shards, replicas);
            int most = chosen.SelectMany(one => one).CountBy(node => node).Max(one => one.Value);

            Assert.Multiple(() =>
            {
                Assert.That(chosen.Select(one => one.Distinct().Count()), Is.All.EqualTo(holders));
                Assert.That(chosen, Has.Count.EqualTo(shards));
                Assert.That(most, Is.LessThanOrEqualTo(((shards * holders) + nodes - 1) / nodes));
            });
        }
    }

    [TestCase(1)]
    [TestCase(3)]
    [TestCase(7)]
    public void Ranges_have_each_hash_once(int shards)
    {
        IReadOnlyList<(int First, int Last)> ranges = ClusterSet.RangesOf(shards);
        var set = new ClusterSet(
            1, "s", default, 2, [.. ranges.Select((range, i) => new ClusterShard(i, range.First, range.Last, []))]);
        string[] elements = [.. Enumerable.Range(0, 1000).Select(i => $"element{i}")];

        Assert.Multiple(() =>
        {
            Assert.That(ranges[0].First, Is.Zero);
            Assert.That(ranges[^1].Last, Is.EqualTo(ClusterSet.Hashes - 1));
            Assert.That(ranges.Skip(1).Select(range => range.First), Is.EqualTo(ranges.SkipLast(1).Select(range => range.Last + 1)));
            foreach (string element in elements)
            {
                byte[] name = System.Text.Encoding.UTF8.GetBytes(element);
                ClusterShard shard = set.ShardOf(name);
                Assert.That(ClusterSet.HashOf(name), Is.InRange(shard.FirstHash, shard.LastHash));
            }
        });
    }

    // What a cluster keeps depends on it.
    [Test]
    public void Hashes_of_names_never_change()
    {
        Assert.That(ClusterSet.HashOf("element"u8), Is.EqualTo(35_612));
    }

    private static IReadOnlyList<Guid>[] ChooseAll(ClusterNode[] nodes) =>
        [.. Enumerable.Range(0, Sets).Select(set => Placement.Choose(nodes, $"set{set}", 1, 2)[0])];
}
