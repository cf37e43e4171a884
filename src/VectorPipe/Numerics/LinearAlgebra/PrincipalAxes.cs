using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.LinearAlgebra;

/// <summary>Eigenvectors and eigenvalues of a covariance matrix by Jacobi's one-sided method (Hestenes 1958).</summary>
/// <remarks>
/// Pairs of rows are rotated against each other until all are orthogonal. The matrix is symmetric, so its rows are then its eigenvectors,
/// with the eigenvalues as lengths. Blocks of rows meet as in a tournament: pairs without a common block run in parallel, and the result
/// does not depend on the number of threads. No state.
/// </remarks>
internal static unsafe class PrincipalAxes
{
    // Two blocks of 1,536 doubles a row stay in the second-level cache.
    private const int BlockRows = 16;
    private const int MaxSweeps = 40;

    // Rows with a smaller cosine count as orthogonal; floats cannot resolve less.
    private const double Tolerance = 1e-8;

    // Added to the diagonal, as a share of the mean eigenvalue: directions without variance get an axis as well.
    private const double Floor = 1e-6;

    /// <summary>Finds the axes.</summary>
    /// <param name="matrix">n x n numbers, symmetric, no negative eigenvalue; becomes the axes in any order, rows of length 1.</param>
    /// <param name="n">Rows; 1 or more.</param>
    /// <param name="options">Threads and cancellation.</param>
    /// <returns>The variance along each axis; null if all are 0, or the rows did not become orthogonal.</returns>
    public static double[]? Find(double[] matrix, int n, ParallelOptions options)
    {
        double trace = 0;
        for (int i = 0; i < n; i++)
            trace += matrix[(i * n) + i];
        if (!(trace > 0) || !double.IsFinite(trace))
            return null;
        for (int i = 0; i < n; i++)
            matrix[(i * n) + i] += Floor * trace / n;
        int sweeps = 0;
        while (!Sweep(matrix, n, options))
        {
            if (++sweeps == MaxSweeps)
                return null;
        }

        var variances = new double[n];
        for (int i = 0; i < n; i++)
        {
            Span<double> row = matrix.AsSpan(i * n, n);
            double squared = 0;
            foreach (double value in row)
                squared += value * value;
            variances[i] = Math.Sqrt(squared);
            foreach (ref double value in row)
                value /= variances[i];
        }

        return variances;
    }

    /// <summary>Rotates every pair of rows once.</summary>
    /// <returns>Whether all were orthogonal already.</returns>
    private static bool Sweep(double[] matrix, int n, ParallelOptions options)
    {
        // Circle method of a round-robin tournament: every two blocks meet once. With an odd number, one pauses in each round.
        int blocks = (n - 1) / BlockRows + 1, players = blocks + (blocks & 1);
        var rotated = new bool[blocks];
        Parallel.For(0, blocks, options, block => rotated[block] = RotateWithin(matrix, n, block));
        bool any = rotated.AsSpan().Contains(true);
        for (int round = 0; round < players - 1; round++)
        {
            var met = new bool[players / 2];
            int turn = round;
            Parallel.For(0, players / 2, options, pair =>
            {
                int a = pair == 0 ? players - 1 : (turn + pair) % (players - 1);
                int b = pair == 0 ? turn : (turn - pair + players - 1) % (players - 1);
                if (a < blocks && b < blocks)
                    met[pair] = RotateBetween(matrix, n, Math.Min(a, b), Math.Max(a, b));
            });
            any |= met.AsSpan().Contains(true);
        }

        return !any;
    }

    private static bool RotateWithin(double[] matrix, int n, int block)
    {
        bool any = false;
        int end = Math.Min(n, (block + 1) * BlockRows);
        fixed (double* first = matrix)
        {
            for (int i = block * BlockRows; i < end; i++)
            {
                for (int k = i + 1; k < end; k++)
                    any |= Rotate(first + ((nint)i * n), first + ((nint)k * n), n);
            }
        }

        return any;
    }

    private static bool RotateBetween(double[] matrix, int n, int a, int b)
    {
        bool any = false;
        fixed (double* first = matrix)
        {
            for (int i = a * BlockRows; i < Math.Min(n, (a + 1) * BlockRows); i++)
            {
                for (int k = b * BlockRows; k < Math.Min(n, (b + 1) * BlockRows); k++)
                    any |= Rotate(first + ((nint)i * n), first + ((nint)k * n), n);
            }
        }

        return any;
    }

    /// <summary>Makes two rows orthogonal.</summary>
    /// <returns>False if they were.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // Nearly all of the time goes here.
    private static bool Rotate(double* p, double* q, int n)
    {
        Vector<double> pp = default, qq = default, pq = default;
        int k = 0;
        for (; k <= n - Vector<double>.Count; k += Vector<double>.Count)
        {
            Vector<double> x = Vector.Load(p + k), y = Vector.Load(q + k);
            pp = Vector.MultiplyAddEstimate(x, x, pp);
            qq = Vector.MultiplyAddEstimate(y, y, qq);
            pq = Vector.MultiplyAddEstimate(x, y, pq);
        }

        double squaredP = Vector.Sum(pp), squaredQ = Vector.Sum(qq), product = Vector.Sum(pq);
        for (; k < n; k++)
        {
            squaredP += p[k] * p[k];
            squaredQ += q[k] * q[k];
            product += p[k] * q[k];
        }

        if (Math.Abs(product) <= Tolerance * Math.Sqrt(squaredP * squaredQ))
            return false;
        double zeta = (squaredQ - squaredP) / (2 * product);
        double tangent = Math.CopySign(1, zeta) / (Math.Abs(zeta) + Math.Sqrt(1 + (zeta * zeta)));
        double cosine = 1 / Math.Sqrt(1 + (tangent * tangent)), sine = cosine * tangent;
        for (k = 0; k <= n - Vector<double>.Count; k += Vector<double>.Count)
        {
            Vector<double> x = Vector.Load(p + k), y = Vector.Load(q + k);
            ((x * cosine) - (y * sine)).Store(p + k);
            ((x * sine) + (y * cosine)).Store(q + k);
        }

        for (; k < n; k++)
            (p[k], q[k]) = ((p[k] * cosine) - (q[k] * sine), (p[k] * sine) + (q[k] * cosine));
        return true;
    }
}
