using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace VectorPipe.Numerics.Panels;

/// <summary>16 candidates of float32 components, summing squared differences.</summary>
internal readonly unsafe struct FloatPanelLanes512 : IPanelLanes<FloatPanelLanes512>
{
    private readonly Vector512<float> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private FloatPanelLanes512(Vector512<float> value) => _value = value;

    public static int Count => Vector512<float>.Count;

    public static bool IsSupported => Vector512.IsHardwareAccelerated;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes512 Load(byte* words) => new(Vector512.Load((float*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes512 Broadcast(byte* word) => new(Vector512.Create(*(float*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes512 Accumulate(FloatPanelLanes512 sums, FloatPanelLanes512 panel, FloatPanelLanes512 row)
    {
        Vector512<float> difference = panel._value - row._value;
        return new(Vector512.MultiplyAddEstimate(difference, difference, sums._value));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(FloatPanelLanes512 sums, byte* target) => sums._value.Store((float*)target);
}
