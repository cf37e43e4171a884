using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Storage.Files;

/// <summary>
/// Identities of indexes and files, and the seed of a key directory: all follow from what an index holds, so that the same index is the
/// same bytes.
/// </summary>
/// <remarks>
/// Indexes that differ in anything have different identities, up to a chance of one in 2^64; files of indexes that do not differ may stand
/// in for each other.
/// </remarks>
internal static class FileIds
{
    // Roles are numbered from 1.
    private const ulong KeySeedPurpose = 0;

    // Generations have 32 bits.
    private const ulong SegmentPurpose = 1UL << 63;

    /// <summary>The identity of an index; not 0.</summary>
    /// <param name="content">Hash of all that its files will say, wherever they say it: two indexes whose files must not be mixed have
    /// different ones.</param>
    /// <param name="generation">Generation that writes.</param>
    public static ulong OfIndex(ulong content, uint generation) => Derive(content, (ulong)generation << 32);

    /// <summary>The identity of a file; not 0.</summary>
    /// <param name="indexId">Identity of the index.</param>
    /// <param name="role">What the file is for.</param>
    /// <param name="generation">Generation that writes.</param>
    public static ulong OfFile(ulong indexId, FileRole role, uint generation) => Derive(indexId, ((ulong)generation << 32) | (ulong)role);

    /// <summary>The seed of a key directory's hash: nobody knows it before all vectors and keys are known.</summary>
    /// <param name="indexId">Identity of the index.</param>
    /// <param name="generation">Generation that writes.</param>
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
