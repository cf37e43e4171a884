using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Distances;

/// <summary>32 integers of 16 bits, sums of 32 bits; reads <see cref="byte"/> and <see cref="sbyte"/>. Exact: nothing saturates.</summary>
internal readonly unsafe struct IntegerLanes512 : ILanes<IntegerLanes512, int>
{
    private readonly Vector512<short> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private IntegerLanes512(Vector512<short> value) => _value = value;

    public static int Count => Vector512<short>.Count;

    public static bool IsSupported => Vector512.IsHardwareAccelerated && Avx512BW.IsSupported;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes512 Load<T>(T* source)
        where T : unmanaged => typeof(T) == typeof(byte)
            ? new(Avx512BW.ConvertToVector512Int16(Vector256.Load((byte*)source)))
            : new(Avx512BW.ConvertToVector512Int16(Vector256.Load((sbyte*)source)));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes512 KeepLast(IntegerLanes512 value, int count) =>
        new(value._value & Vector512.GreaterThanOrEqual(Vector512<short>.Indices, Vector512.Create((short)(Count - count))));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes512 Subtract(IntegerLanes512 left, IntegerLanes512 right) => new(left._value - right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes512 MultiplyAdd(IntegerLanes512 left, IntegerLanes512 right, IntegerLanes512 sum) =>
        new((sum._value.AsInt32() + Avx512BW.MultiplyAddAdjacent(left._value, right._value)).AsInt16());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes512 AddSums(IntegerLanes512 left, IntegerLanes512 right) =>
        new((left._value.AsInt32() + right._value.AsInt32()).AsInt16());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Sum(IntegerLanes512 sum)
    {
        Vector512<int> v = sum._value.AsInt32();
        Vector256<int> half = v.GetLower() + v.GetUpper();
        return Vector128.Sum(half.GetLower() + half.GetUpper());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Sum4(IntegerLanes512 sum0, IntegerLanes512 sum1, IntegerLanes512 sum2, IntegerLanes512 sum3, int* result)
    {
        Vector512<int> a = sum0._value.AsInt32(), b = sum1._value.AsInt32(), c = sum2._value.AsInt32(), d = sum3._value.AsInt32();
        Vector512<long> x = (Avx512F.UnpackLow(a, b) + Avx512F.UnpackHigh(a, b)).AsInt64();
        Vector512<long> y = (Avx512F.UnpackLow(c, d) + Avx512F.UnpackHigh(c, d)).AsInt64();
        Vector512<int> z = Avx512F.UnpackLow(x, y).AsInt32() + Avx512F.UnpackHigh(x, y).AsInt32();
        Vector256<int> half = z.GetLower() + z.GetUpper();
        (half.GetLower() + half.GetUpper()).Store(result);
    }
}
