namespace VectorPipe.Building.Graphs;

/// <summary>A distance and a point in one integer that orders by distance, then by point.</summary>
/// <remarks>
/// The bits of a non-negative float grow with it. Layout: distance (32 bits), point (31), a mark that the owner of the key may use (1).
/// </remarks>
internal static class PointKey
{
    /// <summary>The lowest bit, which does not take part in the order because no point occurs twice in a list.</summary>
    public const ulong Mark = 1;

    /// <summary>Packs a distance of 0 or more and a point.</summary>
    public static ulong Pack(float distance, int point) => (ulong)BitConverter.SingleToUInt32Bits(distance) << 32 | (uint)point << 1;

    /// <summary>The distance of a key.</summary>
    public static float Distance(ulong key) => BitConverter.UInt32BitsToSingle((uint)(key >> 32));

    /// <summary>The point of a key.</summary>
    public static int Point(ulong key) => (int)((uint)key >> 1);
}
