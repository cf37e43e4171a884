using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Distances;

/// <summary>Leaf kernels over pairs of rows: spans or pointers in, number out, no state.</summary>
/// <remarks>
/// <para>
/// Integer kernels are exact and equal on every processor (dimension up to 32,768 keeps squared L2 of bytes within int32). Float kernels
/// may sum in another order than the scalar path: the relative difference stays below dimension x 2^-23 of the sum of absolute terms.
/// </para>
/// <para>Any dimension of 1 or more; rows lie at any address. A form for four rows gives, bit for bit, what four calls for one row
/// give.</para>
/// </remarks>
internal static unsafe class DistanceKernels
{
    /// <summary>Sum of squared differences.</summary>
    public static float SquaredL2(float* a, float* b, int dimension) => FloatOne<float, SquaredDifferenceTerm>(a, b, dimension);

    /// <summary>Sum of products.</summary>
    public static float Dot(float* a, float* b, int dimension) => FloatOne<float, ProductTerm>(a, b, dimension);

    /// <summary>Sum of squared differences; the row is widened exactly. Infinities and NaN in the row give an unspecified sum.</summary>
    public static float SquaredL2(float* query, Half* row, int dimension) => FloatOne<Half, SquaredDifferenceTerm>(query, row, dimension);

    /// <summary>Sum of products; the row is widened exactly. Infinities and NaN in the row give an unspecified sum.</summary>
    public static float Dot(float* query, Half* row, int dimension) => FloatOne<Half, ProductTerm>(query, row, dimension);

    /// <summary>Sum of squared differences, exact.</summary>
    public static int SquaredL2(byte* a, byte* b, int dimension) => IntegerOne<byte, SquaredDifferenceTerm>(a, b, dimension);

    /// <summary>Sum of products, exact.</summary>
    public static int Dot(byte* a, byte* b, int dimension) => IntegerOne<byte, ProductTerm>(a, b, dimension);

    /// <summary>Sum of squared differences, exact.</summary>
    public static int SquaredL2(sbyte* a, sbyte* b, int dimension) => IntegerOne<sbyte, SquaredDifferenceTerm>(a, b, dimension);

    /// <summary>Sum of products, exact.</summary>
    public static int Dot(sbyte* a, sbyte* b, int dimension) => IntegerOne<sbyte, ProductTerm>(a, b, dimension);

    /// <summary>Sums of squared differences between the query and four rows.</summary>
    public static void SquaredL2x4(float* query, float* r0, float* r1, float* r2, float* r3, int dimension, float* result) =>
        FloatFour<float, SquaredDifferenceTerm>(query, r0, r1, r2, r3, dimension, result);

    /// <summary>Sums of products of the query and four rows.</summary>
    public static void Dotx4(float* query, float* r0, float* r1, float* r2, float* r3, int dimension, float* result) =>
        FloatFour<float, ProductTerm>(query, r0, r1, r2, r3, dimension, result);

    /// <summary>Sums of squared differences between the query and four rows, exact.</summary>
    public static void SquaredL2x4(byte* query, byte* r0, byte* r1, byte* r2, byte* r3, int dimension, int* result) =>
        IntegerFour<byte, SquaredDifferenceTerm>(query, r0, r1, r2, r3, dimension, result);

    /// <summary>Sums of products of the query and four rows, exact.</summary>
    public static void Dotx4(byte* query, byte* r0, byte* r1, byte* r2, byte* r3, int dimension, int* result) =>
        IntegerFour<byte, ProductTerm>(query, r0, r1, r2, r3, dimension, result);

    /// <summary>Sums of squared differences between the query and four rows, exact.</summary>
    public static void SquaredL2x4(sbyte* query, sbyte* r0, sbyte* r1, sbyte* r2, sbyte* r3, int dimension, int* result) =>
        IntegerFour<sbyte, SquaredDifferenceTerm>(query, r0, r1, r2, r3, dimension, result);

    /// <summary>Sums of products of the query and four rows, exact.</summary>
    public static void Dotx4(sbyte* query, sbyte* r0, sbyte* r1, sbyte* r2, sbyte* r3, int dimension, int* result) =>
        IntegerFour<sbyte, ProductTerm>(query, r0, r1, r2, r3, dimension, result);

    /// <summary>The sum of one <typeparamref name="TTerm"/> over a float query and a row of float or <see cref="Half"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static float FloatOne<TRow, TTerm>(float* query, TRow* row, int dimension)
        where TRow : unmanaged, INumberBase<TRow>
        where TTerm : struct, ITerm =>
        WidestKernels<FloatLanes512, FloatLanes256, FloatLanes128, float>.One<float, TRow, TTerm>(query, row, dimension);

    /// <summary>Four rows of <see cref="FloatOne"/> at once.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void FloatFour<TRow, TTerm>(float* query, TRow* r0, TRow* r1, TRow* r2, TRow* r3, int dimension, float* result)
        where TRow : unmanaged, INumberBase<TRow>
        where TTerm : struct, ITerm =>
        WidestKernels<FloatLanes512, FloatLanes256, FloatLanes128, float>.Four<float, TRow, TTerm>(
            query, r0, r1, r2, r3, dimension, result);

    /// <summary>
    /// Inner product of a float query and a row of float or <see cref="Half"/>, and the squared norm of the row, in one visit.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static float FloatDotAndSquaredNorm<TRow>(float* query, TRow* row, int dimension, out float squaredNorm)
        where TRow : unmanaged, INumberBase<TRow> =>
        WidestKernels<FloatLanes512, FloatLanes256, FloatLanes128, float>.DotAndSquaredNorm(query, row, dimension, out squaredNorm);

    /// <summary>The sum of one <typeparamref name="TTerm"/> over two rows of byte or sbyte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int IntegerOne<T, TTerm>(T* query, T* row, int dimension)
        where T : unmanaged, INumberBase<T>
        where TTerm : struct, ITerm =>
        WidestKernels<IntegerLanes512, IntegerLanes256, IntegerLanes128, int>.One<T, T, TTerm>(query, row, dimension);

    /// <summary>Four rows of <see cref="IntegerOne"/> at once.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void IntegerFour<T, TTerm>(T* query, T* r0, T* r1, T* r2, T* r3, int dimension, int* result)
        where T : unmanaged, INumberBase<T>
        where TTerm : struct, ITerm =>
        WidestKernels<IntegerLanes512, IntegerLanes256, IntegerLanes128, int>.Four<T, T, TTerm>(
            query, r0, r1, r2, r3, dimension, result);

    /// <summary>Inner product of two rows of byte or sbyte, and the squared norm of the second, in one visit; both exact.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int IntegerDotAndSquaredNorm<T>(T* query, T* row, int dimension, out int squaredNorm)
        where T : unmanaged, INumberBase<T> =>
        WidestKernels<IntegerLanes512, IntegerLanes256, IntegerLanes128, int>.DotAndSquaredNorm(query, row, dimension, out squaredNorm);
}
