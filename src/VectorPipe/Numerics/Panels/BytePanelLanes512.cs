using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Panels;

/// <summary>16 candidates of four bytes, as pairs of 16-bit numbers that are multiplied and added.</summary>
internal readonly unsafe struct BytePanelLanes512 : IPanelLanes<BytePanelLanes512>
{
    private readonly Vector512<int> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private BytePanelLanes512(Vector512<int> value) => _value = value;

    public static int Count => Vector512<int>.Count;

    public static bool IsSupported => Avx512BW.IsSupported;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanes512 Load(byte* words) => new(Vector512.Load((int*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanes512 Broadcast(byte* word) => new(Vector512.Create(*(int*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanes512 Accumulate(BytePanelLanes512 sums, BytePanelLanes512 panel, BytePanelLanes512 row)
    {
        Vector512<short> panelEven = (panel._value & Vector512.Create(0x00FF00FF)).AsInt16();
        Vector512<short> panelOdd = (panel._value.AsUInt16() >> 8).AsInt16();
        Vector512<short> rowEven = row._value.AsInt16() << 8 >> 8;
        Vector512<short> rowOdd = row._value.AsInt16() >> 8;
        return new(sums._value + Avx512BW.MultiplyAddAdjacent(panelEven, rowEven) + Avx512BW.MultiplyAddAdjacent(panelOdd, rowOdd));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(BytePanelLanes512 sums, byte* target) => sums._value.Store((int*)target);
}
