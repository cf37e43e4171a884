using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Storage.Files;

/// <summary>Derives the identities of indexes and files, and the seed of a key directory, from the content of the index.</summary>
/// <remarks>
/// Equal indexes are equal bytes, and their files are interchangeable. Different indexes have different identities, up to a chance of one
/// in 2^64.
/// </remarks>
internal static class FileIds
{
    // Roles are numbered from 1.
    private const ulong KeySeedPurpose = 0;

    // Generations have 32 bits: purposes of files are below.
    private const ulong SegmentPurpose = 1UL << 63;

    /// <summary>The identity of an index; not 0.</summary>
    /// <param name="content">Hash of everything that its files contain.</param>
    /// <param name="generation">Generation that writes.</param>
    public static ulong OfIndex(ulong content, uint generation) => Derive(content, (ulong)generation << 32);

    /// <summary>The identity of a file; not 0.</summary>
    public static ulong OfFile(ulong indexId, FileRole role, uint generation) => Derive(indexId, ((ulong)generation << 32) | (ulong)role);

    /// <summary>The seed of a key directory's hash: unknown until all vectors and keys are known.</summary>
    public static ulong KeySeed(ulong indexId, uint generation) => Derive(indexId, ((ulong)generation << 32) | KeySeedPurpose);

    /// <summary>The identity of a segment of a log; not 0.</summary>
    public static ulong OfLogSegment(ulong logId, uint segment) => Derive(logId, SegmentPurpose | segment);

    private static ulong Derive(ulong from, ulong purpose)
    {
        var hash = new ContentHash();
        hash.Add(from);
        hash.Add(purpose);
        return Math.Max(1, hash.Value);
    }
}
