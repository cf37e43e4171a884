using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Distances;

/// <summary>16 floats; reads <see cref="float"/> and <see cref="Half"/>.</summary>
internal readonly unsafe struct FloatLanes512 : ILanes<FloatLanes512, float>
{
    private readonly Vector512<float> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private FloatLanes512(Vector512<float> value) => _value = value;

    public static int Count => Vector512<float>.Count;

    public static bool IsSupported => Vector512.IsHardwareAccelerated;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes512 Load<T>(T* source)
        where T : unmanaged
    {
        if (typeof(T) == typeof(float))
            return new(Vector512.Load((float*)source));
        Vector512<int> words = Avx512F.ConvertToVector512Int32(Vector256.Load((short*)source));
        return new(((words << HalfBits.Shift) & Vector512.Create(HalfBits.Mask)).AsSingle() * HalfBits.Scale);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes512 KeepLast(FloatLanes512 value, int count) =>
        new(value._value & Vector512.GreaterThanOrEqual(Vector512<int>.Indices, Vector512.Create(Count - count)).AsSingle());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes512 Subtract(FloatLanes512 left, FloatLanes512 right) => new(left._value - right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes512 MultiplyAdd(FloatLanes512 left, FloatLanes512 right, FloatLanes512 sum) =>
        new(Vector512.MultiplyAddEstimate(left._value, right._value, sum._value));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FloatLanes512 AddSums(FloatLanes512 left, FloatLanes512 right) => new(left._value + right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static float Sum(FloatLanes512 sum)
    {
        Vector512<float> v = sum._value;
        v += Avx512F.Shuffle(v, v, 0b01_00_11_10);
        v += Avx512F.Shuffle(v, v, 0b10_11_00_01);
        Vector256<float> half = v.GetLower() + v.GetUpper();
        return (half.GetLower() + half.GetUpper()).ToScalar();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Sum4(FloatLanes512 sum0, FloatLanes512 sum1, FloatLanes512 sum2, FloatLanes512 sum3, float* result)
    {
        Vector512<float> a = sum0._value, b = sum1._value, c = sum2._value, d = sum3._value;
        Vector512<double> x = (Avx512F.UnpackLow(a, b) + Avx512F.UnpackHigh(a, b)).AsDouble();
        Vector512<double> y = (Avx512F.UnpackLow(c, d) + Avx512F.UnpackHigh(c, d)).AsDouble();
        Vector512<float> z = Avx512F.UnpackLow(x, y).AsSingle() + Avx512F.UnpackHigh(x, y).AsSingle();
        Vector256<float> half = z.GetLower() + z.GetUpper();
        (half.GetLower() + half.GetUpper()).Store(result);
    }
}
