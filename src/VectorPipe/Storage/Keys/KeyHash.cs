namespace VectorPipe.Storage.Keys;

/// <summary>Where a key's chain begins. Part of the file format: hash function 1.</summary>
/// <remarks>
/// Two rounds of the 64-bit finalizer of SplitMix64, with the directory's seed mixed in before each: one bit of the key changes about half
/// of
/// the hash, and whoever does not know the seed cannot choose keys that meet in one bucket. A directory that such keys have spoilt
/// all the same is written anew under another seed.
/// </remarks>
internal static class KeyHash
{
    /// <summary>Number of this hash function in the manifest.</summary>
    public const uint FunctionNumber = 1;

    /// <summary>The bucket of a key: the hash, scaled down to the number of buckets by its high bits.</summary>
    /// <param name="key">Any key.</param>
    /// <param name="seed">The directory's seed.</param>
    /// <param name="buckets">Buckets, 1 or more.</param>
    /// <returns>0 .. <paramref name="buckets"/> - 1.</returns>
    public static long Bucket(ulong key, ulong seed, long buckets) => (long)Math.BigMul(Hash(key, seed), (ulong)buckets, out _);

    private static ulong Hash(ulong key, ulong seed) => Mix(Mix(key ^ seed) + seed);

    private static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }
}
