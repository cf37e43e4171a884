using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Distances;

/// <summary>
/// 8 integers of 16 bits, sums of 32 bits, on every processor with 128-bit vectors; reads <see cref="byte"/> and <see cref="sbyte"/>.
/// Exact: nothing saturates.
/// </summary>
internal readonly unsafe struct IntegerLanes128 : ILanes<IntegerLanes128, int>
{
    private readonly Vector128<short> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private IntegerLanes128(Vector128<short> value) => _value = value;

    public static int Count => Vector128<short>.Count;

    public static bool IsSupported => Vector128.IsHardwareAccelerated;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes128 Load<T>(T* source)
        where T : unmanaged
    {
        Vector128<long> bytes = Vector128.CreateScalarUnsafe(Unsafe.ReadUnaligned<long>(source));
        return typeof(T) == typeof(byte)
            ? new(Vector128.WidenLower(bytes.AsByte()).AsInt16())
            : new(Vector128.WidenLower(bytes.AsSByte()));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes128 KeepLast(IntegerLanes128 value, int count) =>
        new(value._value & Vector128.GreaterThanOrEqual(Vector128<short>.Indices, Vector128.Create((short)(Count - count))));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes128 Subtract(IntegerLanes128 left, IntegerLanes128 right) => new(left._value - right._value);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes128 MultiplyAdd(IntegerLanes128 left, IntegerLanes128 right, IntegerLanes128 sum)
    {
        Vector128<int> total = sum._value.AsInt32();
        if (Sse2.IsSupported)
        {
            total += Sse2.MultiplyAddAdjacent(left._value, right._value);
        }
        else if (AdvSimd.IsSupported)
        {
            total = AdvSimd.MultiplyWideningLowerAndAdd(total, left._value.GetLower(), right._value.GetLower());
            total = AdvSimd.MultiplyWideningUpperAndAdd(total, left._value, right._value);
        }
        else
        {
            total += Vector128.WidenLower(left._value) * Vector128.WidenLower(right._value);
            total += Vector128.WidenUpper(left._value) * Vector128.WidenUpper(right._value);
        }

        return new(total.AsInt16());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static IntegerLanes128 AddSums(IntegerLanes128 left, IntegerLanes128 right) =>
        new((left._value.AsInt32() + right._value.AsInt32()).AsInt16());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Sum(IntegerLanes128 sum) => Vector128.Sum(sum._value.AsInt32());

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Sum4(IntegerLanes128 sum0, IntegerLanes128 sum1, IntegerLanes128 sum2, IntegerLanes128 sum3, int* result)
    {
        result[0] = Sum(sum0);
        result[1] = Sum(sum1);
        result[2] = Sum(sum2);
        result[3] = Sum(sum3);
    }
}
