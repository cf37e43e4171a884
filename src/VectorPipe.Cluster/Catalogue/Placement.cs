using System.Buffers.Binary;
using System.Diagnostics;
using System.IO.Hashing;
using System.Text;

namespace VectorPipe.Cluster.Catalogue;

/// <summary>Which nodes hold a shard: those with the highest hash of shard and node, so that a node that comes or goes moves few.</summary>
internal static class Placement
{
    /// <summary>Chooses nodes for all shards of a new set; none gets more of them than its share.</summary>
    /// <param name="nodes">Nodes to choose from.</param>
    /// <param name="set">Name of the set.</param>
    /// <param name="shards">Number of its shards.</param>
    /// <param name="replicas">Nodes wanted for each; all, if there are fewer.</param>
    public static IReadOnlyList<IReadOnlyList<Guid>> Choose(
        IReadOnlyCollection<ClusterNode> nodes, string set, int shards, int replicas)
    {
        int share = (shards * Math.Min(replicas, nodes.Count) + nodes.Count - 1) / nodes.Count;
        var room = nodes.ToDictionary(node => node.Id, _ => share);
        var chosen = new List<IReadOnlyList<Guid>>();
        for (int shard = 0; shard < shards; shard++)
        {
            // One that has room for all shards to come takes this one, too: otherwise the last ones would not find enough nodes.
            int left = shards - shard;
            Guid[] holders =
            [
                .. nodes.OrderByDescending(node => room[node.Id] >= left).ThenByDescending(node => room[node.Id] > 0)
                    .ThenByDescending(node => WeightOf(node.Id, set, shard)).ThenBy(node => node.Id).Take(replicas).Select(node => node.Id),
            ];
            foreach (Guid node in holders)
                room[node]--;
            chosen.Add(holders);
        }

        Debug.Assert(room.Values.All(left => left >= 0), "no node has more than its share");
        return chosen;
    }

    /// <summary>How well a node suits a shard, by hashes.</summary>
    public static ulong WeightOf(Guid node, string set, int shard)
    {
        byte[] name = Encoding.Latin1.GetBytes(set);
        byte[] bytes = new byte[16 + sizeof(int) + name.Length];
        node.TryWriteBytes(bytes);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(16), shard);
        name.CopyTo(bytes, 16 + sizeof(int));
        return XxHash3.HashToUInt64(bytes);
    }
}
