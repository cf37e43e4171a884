using System.IO.Hashing;

namespace VectorPipe.Cluster.Catalogue;

/// <summary>A vector set as the catalogue knows it.</summary>
/// <param name="Id">Its number, which no other set of the cluster has or had.</param>
/// <param name="Name">Its name: a byte a character.</param>
/// <param name="Settings">What is fixed about it, in the bytes of whoever made it.</param>
/// <param name="Replicas">Nodes that are to hold each of its shards.</param>
/// <param name="Shards">Its shards, by hash; together they have all.</param>
internal sealed record ClusterSet(
    long Id, string Name, ReadOnlyMemory<byte> Settings, int Replicas, IReadOnlyList<ClusterShard> Shards)
{
    /// <summary>The number of hashes.</summary>
    public const int Hashes = 1 << 16;

    /// <summary>The shard that has an element.</summary>
    public ClusterShard ShardOf(ReadOnlySpan<byte> element)
    {
        int hash = HashOf(element);
        int at = 0;
        while (Shards[at].LastHash < hash)
            at++;
        return Shards[at];
    }

    /// <summary>The hash of an element's name. Part of what a cluster keeps: it says where elements are.</summary>
    public static int HashOf(ReadOnlySpan<byte> element) => (int)(XxHash3.HashToUInt64(element) % Hashes);

    /// <summary>Ranges of hashes for so many shards, as equal as can be.</summary>
    public static IReadOnlyList<(int First, int Last)> RangesOf(int shards) =>
        [.. Enumerable.Range(0, shards).Select(i => ((int)((long)Hashes * i / shards), (int)((long)Hashes * (i + 1) / shards) - 1))];
}
