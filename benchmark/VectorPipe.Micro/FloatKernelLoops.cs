using System.Numerics;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Micro;

/// <summary>The float kernels over all rows of an array. The number of rows is a multiple of four.</summary>
internal static unsafe class FloatKernelLoops
{
    /// <summary>A kernel for one row at a time.</summary>
    public static void One<T, TTerm>(float[] queryComponents, T[] rowComponents, float[] result)
        where T : unmanaged, INumberBase<T>
        where TTerm : struct, ITerm
    {
        int n = queryComponents.Length;
        fixed (float* query = queryComponents)
        {
            fixed (T* rows = rowComponents)
            {
                for (int i = 0; i < result.Length; i++)
                    result[i] = DistanceKernels.FloatOne<T, TTerm>(query, rows + (i * n), n);
            }
        }
    }

    /// <summary>A kernel for four rows at a time.</summary>
    public static void Four<T, TTerm>(float[] queryComponents, T[] rowComponents, float[] results)
        where T : unmanaged, INumberBase<T>
        where TTerm : struct, ITerm
    {
        int n = queryComponents.Length;
        fixed (float* query = queryComponents, result = results)
        {
            fixed (T* rows = rowComponents)
            {
                T* row = rows;
                for (int i = 0; i < results.Length; i += 4, row += 4 * n)
                    DistanceKernels.FloatFour<T, TTerm>(query, row, row + n, row + (2 * n), row + (3 * n), n, result + i);
            }
        }
    }

    /// <summary>Inner products; returns the sum of the squared norms.</summary>
    public static float DotAndSquaredNorm<T>(float[] queryComponents, T[] rowComponents, float[] result)
        where T : unmanaged, INumberBase<T>
    {
        int n = queryComponents.Length;
        float norms = 0;
        fixed (float* query = queryComponents)
        {
            fixed (T* rows = rowComponents)
            {
                for (int i = 0; i < result.Length; i++)
                {
                    result[i] = DistanceKernels.FloatDotAndSquaredNorm(query, rows + (i * n), n, out float norm);
                    norms += norm;
                }
            }
        }

        return norms;
    }
}
