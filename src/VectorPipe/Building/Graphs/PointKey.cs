namespace VectorPipe.Building.Graphs;

/// <summary>A distance and a point in an integer that sorts by distance, then by point.</summary>
/// <remarks>
/// The bits of a non-negative float grow with it. Layout: distance (32 bits), point (31), a mark for the owner of the key (1).
/// </remarks>
internal static class PointKey
{
    /// <summary>The lowest bit. It does not affect the order, since no point occurs twice in a list.</summary>
    public const ulong Mark = 1;

    /// <summary>Packs a distance of 0 or more and a point.</summary>
    public static ulong Pack(float distance, int point) => (ulong)BitConverter.SingleToUInt32Bits(distance) << 32 | (uint)point << 1;

    public static float Distance(ulong key) => BitConverter.UInt32BitsToSingle((uint)(key >> 32));

    public static int Point(ulong key) => (int)((uint)key >> 1);
}
