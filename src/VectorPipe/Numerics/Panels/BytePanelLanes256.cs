using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Panels;

/// <summary>8 candidates of four bytes, as pairs of 16-bit numbers that are multiplied and added.</summary>
internal readonly unsafe struct BytePanelLanes256 : IPanelLanes<BytePanelLanes256>
{
    private readonly Vector256<int> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private BytePanelLanes256(Vector256<int> value) => _value = value;

    public static int Count => Vector256<int>.Count;

    public static bool IsSupported => Avx2.IsSupported;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanes256 Load(byte* words) => new(Vector256.Load((int*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanes256 Broadcast(byte* word) => new(Vector256.Create(*(int*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanes256 Accumulate(BytePanelLanes256 sums, BytePanelLanes256 panel, BytePanelLanes256 row)
    {
        Vector256<short> panelEven = (panel._value & Vector256.Create(0x00FF00FF)).AsInt16();
        Vector256<short> panelOdd = (panel._value.AsUInt16() >> 8).AsInt16();
        Vector256<short> rowEven = row._value.AsInt16() << 8 >> 8;
        Vector256<short> rowOdd = row._value.AsInt16() >> 8;
        return new(sums._value + Avx2.MultiplyAddAdjacent(panelEven, rowEven) + Avx2.MultiplyAddAdjacent(panelOdd, rowOdd));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(BytePanelLanes256 sums, byte* target) => sums._value.Store((int*)target);
}
