using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace VectorPipe.Numerics.LinearAlgebra;

/// <summary>The orthogonal polar factor of a square matrix: of all orthogonal matrices Q the one with the largest trace of QᵀA.</summary>
/// <remarks>
/// Newton's iteration A ← (ζA + (ζA)⁻ᵀ)/2 with Higham's scaling ζ (Higham 1986, "Computing the polar decomposition - with applications")
/// converges quadratically for an invertible matrix: about nine steps if singular values span ten orders of magnitude. No state.
/// </remarks>
internal static class PolarFactor
{
    private const int MaxIterations = 40;

    /// <summary>Computes the factor.</summary>
    /// <param name="matrix">n x n numbers, row by row; becomes the factor, or undefined if there is none.</param>
    /// <param name="n">Rows; 1 or more.</param>
    /// <param name="cancellationToken">Observed before each iteration.</param>
    /// <returns>False if the matrix is singular in double precision.</returns>
    public static bool TryCompute(double[] matrix, int n, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(matrix.Length, n * (long)n);
        var inverse = new double[matrix.Length];
        for (int iteration = 0; iteration < MaxIterations; iteration++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            matrix.CopyTo(inverse, 0);
            if (!TryInvert(inverse, n))
                return false;
            double change = Average(matrix, inverse, n);
            if (!double.IsFinite(change))
                return false;

            // Convergence is quadratic: the next change would be the square of this one.
            if (change < 1e-9)
                return true;
        }

        return false;
    }

    /// <summary>Averages the scaled matrix and its inverse transposed, in place.</summary>
    /// <returns>The change relative to the norm.</returns>
    private static double Average(double[] matrix, double[] inverse, int n)
    {
        double scale = Math.Pow(NormProduct(inverse, n) / NormProduct(matrix, n), 0.25);
        double moved = 0, norm = 0;
        for (int i = 0; i < n; i++)
        {
            for (int k = 0; k < n; k++)
            {
                double before = matrix[(i * n) + k];
                double after = ((scale * before) + (inverse[(k * n) + i] / scale)) / 2;
                moved += (after - before) * (after - before);
                norm += after * after;
                matrix[(i * n) + k] = after;
            }
        }

        return Math.Sqrt(moved / norm);
    }

    /// <summary>The largest sum of magnitudes of a column times that of a row.</summary>
    private static double NormProduct(double[] matrix, int n)
    {
        var columns = new double[n];
        double infinity = 0;
        for (int i = 0; i < n; i++)
        {
            double row = 0;
            for (int k = 0; k < n; k++)
            {
                double magnitude = Math.Abs(matrix[(i * n) + k]);
                row += magnitude;
                columns[k] += magnitude;
            }

            infinity = Math.Max(infinity, row);
        }

        return columns.Max() * infinity;
    }

    /// <summary>Gauss-Jordan elimination with partial pivoting, in place.</summary>
    private static bool TryInvert(double[] matrix, int n)
    {
        var pivots = new int[n];
        for (int step = 0; step < n; step++)
        {
            int pivot = step;
            for (int i = step + 1; i < n; i++)
            {
                if (Math.Abs(matrix[(i * n) + step]) > Math.Abs(matrix[(pivot * n) + step]))
                    pivot = i;
            }

            pivots[step] = pivot;
            if (pivot != step)
                Swap(matrix.AsSpan(step * n, n), matrix.AsSpan(pivot * n, n));
            Span<double> row = matrix.AsSpan(step * n, n);
            double inverse = 1 / row[step];
            if (!double.IsFinite(inverse))
                return false;
            row[step] = 1;
            Scale(row, inverse);
            for (int i = 0; i < n; i++)
            {
                if (i == step)
                    continue;
                Span<double> other = matrix.AsSpan(i * n, n);
                double factor = other[step];
                other[step] = 0;
                Subtract(other, factor, row);
            }
        }

        // Undo the exchanges of rows on the columns of the inverse, last first.
        for (int step = n - 1; step >= 0; step--)
        {
            for (int i = 0; i < n && pivots[step] != step; i++)
                (matrix[(i * n) + step], matrix[(i * n) + pivots[step]]) = (matrix[(i * n) + pivots[step]], matrix[(i * n) + step]);
        }

        return true;
    }

    private static void Swap(Span<double> a, Span<double> b)
    {
        for (int k = 0; k < a.Length; k++)
            (a[k], b[k]) = (b[k], a[k]);
    }

    private static void Scale(Span<double> row, double factor)
    {
        for (int k = 0; k < row.Length; k++)
            row[k] *= factor;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // Nearly all of the time goes here.
    private static void Subtract(Span<double> row, double factor, ReadOnlySpan<double> other)
    {
        ref double target = ref MemoryMarshal.GetReference(row);
        ref double source = ref MemoryMarshal.GetReference(other[..row.Length]);
        Vector<double> factors = Vector.Create(-factor);
        int k = 0;
        for (; k <= row.Length - Vector<double>.Count; k += Vector<double>.Count)
            Vector.MultiplyAddEstimate(factors, Vector.LoadUnsafe(ref source, (nuint)k), Vector.LoadUnsafe(ref target, (nuint)k))
                .StoreUnsafe(ref target, (nuint)k);
        for (; k < row.Length; k++)
            row[k] -= factor * other[k];
    }
}
