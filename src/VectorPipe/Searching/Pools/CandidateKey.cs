using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.Pools;

/// <summary>A code distance and an id in one number that sorts by (distance, id).</summary>
internal static class CandidateKey
{
    private const uint Sign = 0x8000_0000;

    /// <summary>Packs a candidate. A NaN counts as infinitely far.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of(float distance, uint id)
    {
        uint bits = BitConverter.SingleToUInt32Bits(float.IsNaN(distance) ? float.PositiveInfinity : distance + 0f);
        return (ulong)((bits & Sign) == 0 ? bits | Sign : ~bits) << 32 | id;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static float Distance(ulong key)
    {
        uint bits = (uint)(key >> 32);
        return BitConverter.UInt32BitsToSingle((bits & Sign) != 0 ? bits ^ Sign : ~bits);
    }
}
