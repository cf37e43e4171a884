namespace VectorPipe.Numerics;

/// <summary>Leaf kernels over pairs of rows: spans or pointers in, number out, no state.</summary>
/// <remarks>
/// Integer kernels are exact and equal on every processor (dimension up to 32,768 keeps squared L2 of bytes within int32). Float kernels
/// may sum in another order than the scalar path: the relative difference stays below dimension x 2^-23 of the sum of absolute terms.
/// </remarks>
internal static unsafe class DistanceKernels
{
    /// <summary>Sum of squared differences.</summary>
    public static float SquaredL2(float* a, float* b, int dimension)
    {
        float sum = 0;
        for (int i = 0; i < dimension; i++)
        {
            float difference = a[i] - b[i];
            sum += difference * difference;
        }

        return sum;
    }

    /// <summary>Sum of products.</summary>
    public static float Dot(float* a, float* b, int dimension)
    {
        float sum = 0;
        for (int i = 0; i < dimension; i++)
            sum += a[i] * b[i];
        return sum;
    }

    /// <summary>Sum of squared differences, exact.</summary>
    public static int SquaredL2(byte* a, byte* b, int dimension)
    {
        int sum = 0;
        for (int i = 0; i < dimension; i++)
        {
            int difference = a[i] - b[i];
            sum += difference * difference;
        }

        return sum;
    }

    /// <summary>Sum of products, exact.</summary>
    public static int Dot(byte* a, byte* b, int dimension)
    {
        int sum = 0;
        for (int i = 0; i < dimension; i++)
            sum += a[i] * b[i];
        return sum;
    }

    /// <summary>Sum of squared differences, exact.</summary>
    public static int SquaredL2(sbyte* a, sbyte* b, int dimension)
    {
        int sum = 0;
        for (int i = 0; i < dimension; i++)
        {
            int difference = a[i] - b[i];
            sum += difference * difference;
        }

        return sum;
    }

    /// <summary>Sum of products, exact.</summary>
    public static int Dot(sbyte* a, sbyte* b, int dimension)
    {
        int sum = 0;
        for (int i = 0; i < dimension; i++)
            sum += a[i] * b[i];
        return sum;
    }
}
