using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Panels;

/// <summary>4 candidates of four bytes, as pairs of 16-bit numbers, on every processor with 128-bit vectors.</summary>
internal readonly unsafe struct BytePanelLanes128 : IPanelLanes<BytePanelLanes128>
{
    private readonly Vector128<int> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private BytePanelLanes128(Vector128<int> value) => _value = value;

    public static int Count => Vector128<int>.Count;

    public static bool IsSupported => Vector128.IsHardwareAccelerated;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanes128 Load(byte* words) => new(Vector128.Load((int*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanes128 Broadcast(byte* word) => new(Vector128.Create(*(int*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanes128 Accumulate(BytePanelLanes128 sums, BytePanelLanes128 panel, BytePanelLanes128 row)
    {
        Vector128<short> panelEven = (panel._value & Vector128.Create(0x00FF00FF)).AsInt16();
        Vector128<short> panelOdd = (panel._value.AsUInt16() >> 8).AsInt16();
        Vector128<short> rowEven = row._value.AsInt16() << 8 >> 8;
        Vector128<short> rowOdd = row._value.AsInt16() >> 8;
        return new(sums._value + MultiplyAddAdjacent(panelEven, rowEven) + MultiplyAddAdjacent(panelOdd, rowOdd));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(BytePanelLanes128 sums, byte* target) => sums._value.Store((int*)target);

    // Products of both halves of each 32-bit lane, added up.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<int> MultiplyAddAdjacent(Vector128<short> left, Vector128<short> right)
    {
        if (Sse2.IsSupported)
            return Sse2.MultiplyAddAdjacent(left, right);
        Vector128<int> high = (left.AsInt32() >> 16) * (right.AsInt32() >> 16);
        return (left.AsInt32() << 16 >> 16) * (right.AsInt32() << 16 >> 16) + high;
    }
}
