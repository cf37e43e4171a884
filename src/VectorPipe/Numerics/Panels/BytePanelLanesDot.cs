using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;

namespace VectorPipe.Numerics.Panels;

/// <summary>4 candidates of four bytes, by the signed dot product of Arm.</summary>
internal readonly unsafe struct BytePanelLanesDot : IPanelLanes<BytePanelLanesDot>
{
    private readonly Vector128<int> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private BytePanelLanesDot(Vector128<int> value) => _value = value;

    public static int Count => Vector128<int>.Count;

    public static bool IsSupported => Dp.IsSupported;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanesDot Load(byte* words) => new(Vector128.Load((int*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanesDot Broadcast(byte* word) => new(Vector128.Create(*(int*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanesDot Accumulate(BytePanelLanesDot sums, BytePanelLanesDot panel, BytePanelLanesDot row)
    {
        // The product of signed bytes lacks 128 times the row. Subtract the row times -128, which is computed once a row.
        Vector128<int> bias = Dp.DotProduct(Vector128<int>.Zero, Vector128.Create(sbyte.MinValue), row._value.AsSByte());
        Vector128<sbyte> signed = (panel._value.AsByte() ^ Vector128.Create((byte)0x80)).AsSByte();
        return new(Dp.DotProduct(sums._value - bias, signed, row._value.AsSByte()));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(BytePanelLanesDot sums, byte* target) => sums._value.Store((int*)target);
}
