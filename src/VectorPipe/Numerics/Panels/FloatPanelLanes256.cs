using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace VectorPipe.Numerics.Panels;

/// <summary>8 candidates of float32 components, summing squared differences.</summary>
internal readonly unsafe struct FloatPanelLanes256 : IPanelLanes<FloatPanelLanes256>
{
    private readonly Vector256<float> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private FloatPanelLanes256(Vector256<float> value) => _value = value;

    public static int Count => Vector256<float>.Count;

    public static bool IsSupported => Vector256.IsHardwareAccelerated;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes256 Load(byte* words) => new(Vector256.Load((float*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes256 Broadcast(byte* word) => new(Vector256.Create(*(float*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes256 Accumulate(FloatPanelLanes256 sums, FloatPanelLanes256 panel, FloatPanelLanes256 row)
    {
        Vector256<float> difference = panel._value - row._value;
        return new(Vector256.MultiplyAddEstimate(difference, difference, sums._value));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(FloatPanelLanes256 sums, byte* target) => sums._value.Store((float*)target);
}
