namespace VectorPipe.Building.Graphs;

/// <summary>A pseudo-random number per point, the same for the same seed: samples are drawn by it.</summary>
internal static class PointHash
{
    /// <summary>Mixes a seed, the purpose of a sample and a point (finaliser of SplitMix64).</summary>
    public static ulong Of(ulong seed, uint purpose, int point)
    {
        ulong bits = seed + ((ulong)purpose << 32 | (uint)point) * 0x9E3779B97F4A7C15;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
        return bits ^ (bits >> 31);
    }

    /// <summary>A point's place from 0 to below 1 in the order of a sample, of which each share is a sample.</summary>
    public static double PlaceOf(ulong seed, uint purpose, int point) => (Of(seed, purpose, point) >> 11) * (1.0 / (1UL << 53));

    /// <summary>Whether a point belongs to a sample of a share of all points; purposes separate samples.</summary>
    public static bool IsSampled(ulong seed, uint purpose, int point, double share) =>
        PlaceOf(seed, purpose, point) < share;
}
