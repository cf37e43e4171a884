using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Distances;

/// <summary>8 floats; reads <see cref="float"/> and <see cref="Half"/>.</summary>
internal readonly unsafe struct FloatLanes256 : ILanes<FloatLanes256, float>
{
    private readonly Vector256<float> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private FloatLanes256(Vector256<float> value) => _value = value;

    public static int Count => Vector256<float>.Count;

    public static bool IsSupported => Vector256.IsHardwareAccelerated && Avx2.IsSupported;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes256 Load<T>(T* source)
        where T : unmanaged
    {
        if (typeof(T) == typeof(float))
            return new(Vector256.Load((float*)source));
        Vector256<int> words = Avx2.ConvertToVector256Int32((short*)source);
        return new(((words << HalfBits.Shift) & Vector256.Create(HalfBits.Mask)).AsSingle() * HalfBits.Scale);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes256 KeepLast(FloatLanes256 value, int count) =>
        new(value._value & Vector256.GreaterThanOrEqual(Vector256<int>.Indices, Vector256.Create(Count - count)).AsSingle());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes256 Subtract(FloatLanes256 left, FloatLanes256 right) => new(left._value - right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes256 MultiplyAdd(FloatLanes256 left, FloatLanes256 right, FloatLanes256 sum) =>
        new(Vector256.MultiplyAddEstimate(left._value, right._value, sum._value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes256 AddSums(FloatLanes256 left, FloatLanes256 right) => new(left._value + right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static float Sum(FloatLanes256 sum)
    {
        Vector256<float> v = sum._value;
        v += Avx.Shuffle(v, v, 0b01_00_11_10);
        v += Avx.Shuffle(v, v, 0b10_11_00_01);
        return (v.GetLower() + v.GetUpper()).ToScalar();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Sum4(FloatLanes256 sum0, FloatLanes256 sum1, FloatLanes256 sum2, FloatLanes256 sum3, float* result)
    {
        Vector256<float> a = sum0._value, b = sum1._value, c = sum2._value, d = sum3._value;
        Vector256<double> x = (Avx.UnpackLow(a, b) + Avx.UnpackHigh(a, b)).AsDouble();
        Vector256<double> y = (Avx.UnpackLow(c, d) + Avx.UnpackHigh(c, d)).AsDouble();
        Vector256<float> z = Avx.UnpackLow(x, y).AsSingle() + Avx.UnpackHigh(x, y).AsSingle();
        (z.GetLower() + z.GetUpper()).Store(result);
    }
}
