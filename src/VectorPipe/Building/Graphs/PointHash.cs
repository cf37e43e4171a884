namespace VectorPipe.Building.Graphs;

/// <summary>
/// A number for each point that is as good as random, and the same for the same seed: the way in which samples are drawn.
/// </summary>
internal static class PointHash
{
    /// <summary>Mixes a seed, the purpose of the sample and a point (SplitMix64's finaliser).</summary>
    public static ulong Of(ulong seed, uint purpose, int point)
    {
        ulong bits = seed + ((ulong)purpose << 32 | (uint)point) * 0x9E3779B97F4A7C15;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
        return bits ^ (bits >> 31);
    }

    /// <summary>Whether a point is in a sample of a share of all points.</summary>
    /// <param name="seed">The build's seed.</param>
    /// <param name="purpose">Tells one sample from another.</param>
    /// <param name="point">The caller's number of the point.</param>
    /// <param name="share">0 to 1.</param>
    public static bool IsSampled(ulong seed, uint purpose, int point, double share) =>
        (Of(seed, purpose, point) >> 11) < share * (1UL << 53);
}
