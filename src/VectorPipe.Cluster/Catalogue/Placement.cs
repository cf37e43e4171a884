using System.Buffers.Binary;
using System.IO.Hashing;
using System.Text;

namespace VectorPipe.Cluster.Catalogue;

/// <summary>Which nodes hold a shard: those with the highest hash of shard and node, so that a node that comes or goes moves few.</summary>
internal static class Placement
{
    /// <summary>Chooses nodes.</summary>
    /// <param name="nodes">Nodes to choose from.</param>
    /// <param name="set">Name of the set.</param>
    /// <param name="shard">The shard's place among those of its set.</param>
    /// <param name="replicas">Nodes wanted; all, if there are fewer.</param>
    public static IReadOnlyList<Guid> Choose(IEnumerable<ClusterNode> nodes, string set, int shard, int replicas) =>
        [.. nodes.OrderByDescending(node => WeightOf(node.Id, set, shard)).ThenBy(node => node.Id).Take(replicas).Select(node => node.Id)];

    private static ulong WeightOf(Guid node, string set, int shard)
    {
        byte[] name = Encoding.Latin1.GetBytes(set);
        byte[] bytes = new byte[16 + sizeof(int) + name.Length];
        node.TryWriteBytes(bytes);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(16), shard);
        name.CopyTo(bytes, 16 + sizeof(int));
        return XxHash3.HashToUInt64(bytes);
    }
}
