using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Panels;

/// <summary>As many candidates of float32 components as <see cref="Vector{T}"/> holds, summing squared differences.</summary>
internal readonly unsafe struct FloatPanelLanes : IPanelLanes<FloatPanelLanes>
{
    private readonly Vector<float> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private FloatPanelLanes(Vector<float> value) => _value = value;

    public static int Count => Vector<float>.Count;

    public static bool IsSupported => true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes Load(byte* words) => new(Vector.Load((float*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes Broadcast(byte* word) => new(Vector.Create(*(float*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatPanelLanes Accumulate(FloatPanelLanes sums, FloatPanelLanes panel, FloatPanelLanes row)
    {
        Vector<float> difference = panel._value - row._value;
        return new(Vector.MultiplyAddEstimate(difference, difference, sums._value));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(FloatPanelLanes sums, byte* target) => sums._value.Store((float*)target);
}
