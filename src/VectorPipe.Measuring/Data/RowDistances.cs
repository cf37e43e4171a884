using System.Numerics.Tensors;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace VectorPipe.Measuring.Data;

/// <summary>Distances of queries to rows of float32, four rows at a time.</summary>
/// <remarks>
/// Independent of the library's kernels, so that the truth does not repeat their errors. Other types are widened to float32 first.
/// The lanes are added up as doubles: distances of 8-bit vectors are exact up to about 4,000 components.
/// </remarks>
internal static class RowDistances
{
    private const int RowsAtATime = 4;

    private interface ITerm
    {
        static abstract Vector512<float> Add(Vector512<float> x, Vector512<float> y, Vector512<float> sum);

        static abstract double Of(double x, double y);
    }

    public static void Widen(VectorElementType type, ReadOnlySpan<byte> source, Span<float> target)
    {
        switch (type)
        {
            case VectorElementType.Float32:
                MemoryMarshal.Cast<byte, float>(source).CopyTo(target);
                break;
            case VectorElementType.Float16:
                TensorPrimitives.ConvertToSingle(MemoryMarshal.Cast<byte, Half>(source), target);
                break;
            case VectorElementType.UInt8:
                TensorPrimitives.ConvertTruncating(source, target);
                break;
            default:
                TensorPrimitives.ConvertTruncating(MemoryMarshal.Cast<byte, sbyte>(source), target);
                break;
        }
    }

    public static double Norm(ReadOnlySpan<float> vector) => Math.Sqrt(Sum<Product>(vector, vector));

    /// <summary>
    /// Distances of a query to rows that lie one after another: squared L2 or -dot; for cosine the dot product, for
    /// <see cref="ToCosine"/>.
    /// </summary>
    public static void Compute(DistanceMetric metric, ReadOnlySpan<float> query, ReadOnlySpan<float> rows, Span<float> distances)
    {
        if (metric == DistanceMetric.L2)
        {
            Compute<SquaredDifference>(query, rows, distances);
            return;
        }

        Compute<Product>(query, rows, distances);
        if (metric == DistanceMetric.InnerProduct)
            TensorPrimitives.Negate(distances, distances);
    }

    /// <summary>Turns dot products into 1 - cos in place; NaN for a row of zeros.</summary>
    public static void ToCosine(double queryNorm, ReadOnlySpan<double> norms, Span<float> distances)
    {
        for (int i = 0; i < distances.Length; i++)
            distances[i] = (float)(1 - (distances[i] / (queryNorm * norms[i])));
    }

    private static void Compute<TTerm>(ReadOnlySpan<float> query, ReadOnlySpan<float> rows, Span<float> distances)
        where TTerm : ITerm
    {
        int dimension = query.Length;
        int row = 0;
        for (; row + RowsAtATime <= distances.Length; row += RowsAtATime)
            SumFour<TTerm>(query, rows.Slice(row * dimension, RowsAtATime * dimension), distances.Slice(row, RowsAtATime));
        for (; row < distances.Length; row++)
            distances[row] = (float)Sum<TTerm>(query, rows.Slice(row * dimension, dimension));
    }

    private static void SumFour<TTerm>(ReadOnlySpan<float> query, ReadOnlySpan<float> rows, Span<float> distances)
        where TTerm : ITerm
    {
        int dimension = query.Length;
        ref float q = ref MemoryMarshal.GetReference(query);
        ref float r0 = ref MemoryMarshal.GetReference(rows);
        ref float r1 = ref Unsafe.Add(ref r0, dimension);
        ref float r2 = ref Unsafe.Add(ref r1, dimension);
        ref float r3 = ref Unsafe.Add(ref r2, dimension);
        Vector512<float> sum0 = default, sum1 = default, sum2 = default, sum3 = default;
        int i = 0;
        for (; i + Vector512<float>.Count <= dimension; i += Vector512<float>.Count)
        {
            Vector512<float> x = Vector512.LoadUnsafe(ref q, (nuint)i);
            sum0 = TTerm.Add(x, Vector512.LoadUnsafe(ref r0, (nuint)i), sum0);
            sum1 = TTerm.Add(x, Vector512.LoadUnsafe(ref r1, (nuint)i), sum1);
            sum2 = TTerm.Add(x, Vector512.LoadUnsafe(ref r2, (nuint)i), sum2);
            sum3 = TTerm.Add(x, Vector512.LoadUnsafe(ref r3, (nuint)i), sum3);
        }

        distances[0] = (float)(AddUp(sum0) + Rest<TTerm>(query, rows, i));
        distances[1] = (float)(AddUp(sum1) + Rest<TTerm>(query, rows[dimension..], i));
        distances[2] = (float)(AddUp(sum2) + Rest<TTerm>(query, rows[(2 * dimension)..], i));
        distances[3] = (float)(AddUp(sum3) + Rest<TTerm>(query, rows[(3 * dimension)..], i));
    }

    private static double Sum<TTerm>(ReadOnlySpan<float> query, ReadOnlySpan<float> row)
        where TTerm : ITerm
    {
        Vector512<float> sum = default;
        int i = 0;
        for (; i + Vector512<float>.Count <= query.Length; i += Vector512<float>.Count)
            sum = TTerm.Add(Vector512.Create(query[i..]), Vector512.Create(row[i..]), sum);
        return AddUp(sum) + Rest<TTerm>(query, row, i);
    }

    private static double AddUp(Vector512<float> sums)
    {
        (Vector512<double> lower, Vector512<double> upper) = Vector512.Widen(sums);
        return Vector512.Sum(lower + upper);
    }

    private static double Rest<TTerm>(ReadOnlySpan<float> query, ReadOnlySpan<float> row, int from)
        where TTerm : ITerm
    {
        double sum = 0;
        for (int i = from; i < query.Length; i++)
            sum += TTerm.Of(query[i], row[i]);
        return sum;
    }

    private readonly struct Product : ITerm
    {
        public static Vector512<float> Add(Vector512<float> x, Vector512<float> y, Vector512<float> sum) =>
            Vector512.MultiplyAddEstimate(x, y, sum);

        public static double Of(double x, double y) => x * y;
    }

    private readonly struct SquaredDifference : ITerm
    {
        public static Vector512<float> Add(Vector512<float> x, Vector512<float> y, Vector512<float> sum)
        {
            Vector512<float> difference = x - y;
            return Vector512.MultiplyAddEstimate(difference, difference, sum);
        }

        public static double Of(double x, double y) => (x - y) * (x - y);
    }
}
