namespace VectorPipe.Storage.Keys;

/// <summary>What a key directory is, as the manifest states it: enough to find any key's chain without another read.</summary>
/// <param name="Seed">Seed of the hash.</param>
/// <param name="Buckets">Chains; that of bucket b begins at page 1 + b.</param>
/// <param name="Entries">Keys that the directory holds: one a node.</param>
/// <param name="LongestChain">Pages of the longest chain: the most directory pages that a look-up reads.</param>
internal sealed record KeyDirectoryShape(ulong Seed, long Buckets, long Entries, int LongestChain)
{
    /// <summary>The bucket of a key.</summary>
    public long BucketOf(ulong key) => KeyHash.Bucket(key, Seed, Buckets);

    /// <summary>Page at which a bucket's chain begins: behind the file header.</summary>
    public static long FirstPage(long bucket) => 1 + bucket;
}
