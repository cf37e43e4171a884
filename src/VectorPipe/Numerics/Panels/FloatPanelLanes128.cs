using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace VectorPipe.Numerics.Panels;

/// <summary>4 candidates of float32 components, summing squared differences.</summary>
internal readonly unsafe struct FloatPanelLanes128 : IPanelLanes<FloatPanelLanes128>
{
    private readonly Vector128<float> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private FloatPanelLanes128(Vector128<float> value) => _value = value;

    public static int Count => Vector128<float>.Count;

    public static bool IsSupported => Vector128.IsHardwareAccelerated;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes128 Load(byte* words) => new(Vector128.Load((float*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes128 Broadcast(byte* word) => new(Vector128.Create(*(float*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes128 Accumulate(FloatPanelLanes128 sums, FloatPanelLanes128 panel, FloatPanelLanes128 row)
    {
        Vector128<float> difference = panel._value - row._value;
        return new(Vector128.MultiplyAddEstimate(difference, difference, sums._value));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(FloatPanelLanes128 sums, byte* target) => sums._value.Store((float*)target);
}
