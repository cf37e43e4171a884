using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Panels;

/// <summary>As many columns of a matrix as a register holds, summing products: what a panel kernel needs to multiply matrices.</summary>
internal readonly unsafe struct ProductPanelLanes : IPanelLanes<ProductPanelLanes>
{
    private readonly Vector<float> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ProductPanelLanes(Vector<float> value) => _value = value;

    public static int Count => Vector<float>.Count;

    public static bool IsSupported => true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ProductPanelLanes Load(byte* words) => new(Vector.Load((float*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ProductPanelLanes Broadcast(byte* word) => new(Vector.Create(*(float*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ProductPanelLanes Accumulate(ProductPanelLanes sums, ProductPanelLanes panel, ProductPanelLanes row) =>
        new(Vector.MultiplyAddEstimate(panel._value, row._value, sums._value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(ProductPanelLanes sums, byte* target) => sums._value.Store((float*)target);
}
