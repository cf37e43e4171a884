using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace VectorPipe.Numerics.Distances;

/// <summary>4 floats, on every processor with 128-bit vectors; reads <see cref="float"/> and <see cref="Half"/>.</summary>
internal readonly unsafe struct FloatLanes128 : ILanes<FloatLanes128, float>
{
    private readonly Vector128<float> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private FloatLanes128(Vector128<float> value) => _value = value;

    public static int Count => Vector128<float>.Count;

    public static bool IsSupported => Vector128.IsHardwareAccelerated;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes128 Load<T>(T* source)
        where T : unmanaged
    {
        if (typeof(T) == typeof(float))
            return new(Vector128.Load((float*)source));
        Vector128<short> halves = Vector128.CreateScalarUnsafe(Unsafe.ReadUnaligned<long>(source)).AsInt16();
        return new(((Vector128.WidenLower(halves) << HalfBits.Shift) & Vector128.Create(HalfBits.Mask)).AsSingle() * HalfBits.Scale);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes128 KeepLast(FloatLanes128 value, int count) =>
        new(value._value & Vector128.GreaterThanOrEqual(Vector128<int>.Indices, Vector128.Create(Count - count)).AsSingle());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes128 Subtract(FloatLanes128 left, FloatLanes128 right) => new(left._value - right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes128 MultiplyAdd(FloatLanes128 left, FloatLanes128 right, FloatLanes128 sum) =>
        new(Vector128.MultiplyAddEstimate(left._value, right._value, sum._value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes128 AddSums(FloatLanes128 left, FloatLanes128 right) => new(left._value + right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static float Sum(FloatLanes128 sum)
    {
        Vector128<float> v = sum._value;
        v += Vector128.Shuffle(v, Vector128.Create(2, 3, 0, 1));
        return v.ToScalar() + v.GetElement(1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Sum4(FloatLanes128 sum0, FloatLanes128 sum1, FloatLanes128 sum2, FloatLanes128 sum3, float* result)
    {
        result[0] = Sum(sum0);
        result[1] = Sum(sum1);
        result[2] = Sum(sum2);
        result[3] = Sum(sum3);
    }
}
