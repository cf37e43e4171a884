namespace VectorPipe.Storage.Keys;

/// <summary>The hash that assigns keys to buckets. Part of the file format: hash function 1.</summary>
/// <remarks>
/// Two rounds of SplitMix64's 64-bit finalizer, with the directory's seed mixed in before each. Without the seed, nobody can choose keys
/// that collide in one bucket; a rebuild under another seed repairs a directory that such keys have filled.
/// </remarks>
internal static class KeyHash
{
    /// <summary>Number of the hash function in the manifest.</summary>
    public const uint FunctionNumber = 1;

    /// <summary>The bucket of a key, 0 .. <paramref name="buckets"/> - 1: the hash, scaled by its high bits.</summary>
    public static long Bucket(ulong key, ulong seed, long buckets) => (long)Math.BigMul(Hash(key, seed), (ulong)buckets, out _);

    /// <summary>The hash of a key.</summary>
    public static ulong Hash(ulong key, ulong seed) => Mix(Mix(key ^ seed) + seed);

    private static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }
}
