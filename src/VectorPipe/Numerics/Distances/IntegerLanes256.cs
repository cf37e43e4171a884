using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Distances;

/// <summary>16 integers of 16 bits, sums of 32 bits; reads <see cref="byte"/> and <see cref="sbyte"/>. Exact: nothing saturates.</summary>
internal readonly unsafe struct IntegerLanes256 : ILanes<IntegerLanes256, int>
{
    private readonly Vector256<short> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private IntegerLanes256(Vector256<short> value) => _value = value;

    public static int Count => Vector256<short>.Count;

    public static bool IsSupported => Vector256.IsHardwareAccelerated && Avx2.IsSupported;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes256 Load<T>(T* source)
        where T : unmanaged => typeof(T) == typeof(byte)
            ? new(Avx2.ConvertToVector256Int16((byte*)source))
            : new(Avx2.ConvertToVector256Int16((sbyte*)source));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes256 KeepLast(IntegerLanes256 value, int count) =>
        new(value._value & Vector256.GreaterThanOrEqual(Vector256<short>.Indices, Vector256.Create((short)(Count - count))));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes256 Subtract(IntegerLanes256 left, IntegerLanes256 right) => new(left._value - right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes256 MultiplyAdd(IntegerLanes256 left, IntegerLanes256 right, IntegerLanes256 sum) =>
        new((sum._value.AsInt32() + Avx2.MultiplyAddAdjacent(left._value, right._value)).AsInt16());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes256 AddSums(IntegerLanes256 left, IntegerLanes256 right) =>
        new((left._value.AsInt32() + right._value.AsInt32()).AsInt16());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Sum(IntegerLanes256 sum)
    {
        Vector256<int> v = sum._value.AsInt32();
        return Vector128.Sum(v.GetLower() + v.GetUpper());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Sum4(IntegerLanes256 sum0, IntegerLanes256 sum1, IntegerLanes256 sum2, IntegerLanes256 sum3, int* result)
    {
        Vector256<int> a = sum0._value.AsInt32(), b = sum1._value.AsInt32(), c = sum2._value.AsInt32(), d = sum3._value.AsInt32();
        Vector256<long> x = (Avx2.UnpackLow(a, b) + Avx2.UnpackHigh(a, b)).AsInt64();
        Vector256<long> y = (Avx2.UnpackLow(c, d) + Avx2.UnpackHigh(c, d)).AsInt64();
        Vector256<int> z = Avx2.UnpackLow(x, y).AsInt32() + Avx2.UnpackHigh(x, y).AsInt32();
        (z.GetLower() + z.GetUpper()).Store(result);
    }
}
