namespace VectorPipe.Storage.Keys;

/// <summary>The parameters of a key directory in the manifest: they locate any key's chain without another read.</summary>
/// <param name="Seed">Seed of the hash.</param>
/// <param name="Buckets">Chains; the chain of bucket b begins at page 1 + b.</param>
/// <param name="Entries">Keys in the directory: one per node.</param>
/// <param name="LongestChain">Pages of the longest chain: the most directory pages that a look-up reads.</param>
internal sealed record KeyDirectoryShape(ulong Seed, long Buckets, long Entries, int LongestChain)
{
    public long BucketOf(ulong key) => KeyHash.Bucket(key, Seed, Buckets);

    /// <summary>First page of a bucket's chain.</summary>
    public static long FirstPage(long bucket) => 1 + bucket;
}
