using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Quantization;

/// <summary>Fills the table of a query: the share of each chunk and centroid in the distance. No state.</summary>
internal static unsafe class ProductTable
{
    private const int Centroids = Quantizer.CentroidsPerChunk;

    /// <summary>Fills the table.</summary>
    /// <param name="quantizer">The quantizer of the codes.</param>
    /// <param name="metric">See <see cref="CodeDistanceTable"/>.</param>
    /// <param name="query">The components of the query; normalised for cosine.</param>
    /// <param name="scratch">Twice as many floats.</param>
    /// <param name="table">Receives 256 floats a chunk.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Fill(Quantizer quantizer, DistanceMetric metric, ReadOnlySpan<float> query, Span<float> scratch, float* table)
    {
        ReadOnlySpan<float> mean = quantizer.Mean;
        Span<float> turned = scratch[..query.Length];
        bool inner = metric == DistanceMetric.InnerProduct;
        float constant = 0;
        for (int k = 0; k < turned.Length; k++)
        {
            turned[k] = inner ? -query[k] : query[k] - mean[k];
            constant += turned[k] * mean[k];
        }

        // A rotation keeps distances and products. Centre, or add the share of the mean, before it.
        if (quantizer.Rotation is { } rotation)
        {
            Span<float> rotated = scratch.Slice(query.Length, query.Length);
            rotation.Apply(turned, 1, rotated);
            turned = rotated;
        }

        fixed (float* centroids = quantizer.Centroids, values = turned)
        {
            for (int chunk = 0; chunk < quantizer.CodeBytes; chunk++)
            {
                int first = quantizer.ChunkOffsets[chunk], length = quantizer.ChunkOffsets[chunk + 1] - first;
                float* row = table + (chunk * Centroids);
                if (inner)
                    FillProducts(values + first, chunk == 0 ? constant : 0, centroids + (first * Centroids), length, row);
                else
                    FillSquares(values + first, centroids + (first * Centroids), length, row);
            }
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void FillSquares(float* query, float* centroids, int length, float* row)
    {
        for (int c = 0; c < Centroids; c += Vector<float>.Count)
        {
            Vector<float> sum = default;
            for (int k = 0; k < length; k++)
            {
                Vector<float> difference = Vector.Create(query[k]) - Vector.Load(centroids + (k * Centroids) + c);
                sum = Vector.MultiplyAddEstimate(difference, difference, sum);
            }

            sum.Store(row + c);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void FillProducts(float* negatedQuery, float constant, float* centroids, int length, float* row)
    {
        for (int c = 0; c < Centroids; c += Vector<float>.Count)
        {
            Vector<float> sum = Vector.Create(constant);
            for (int k = 0; k < length; k++)
                sum = Vector.MultiplyAddEstimate(Vector.Create(negatedQuery[k]), Vector.Load(centroids + (k * Centroids) + c), sum);
            sum.Store(row + c);
        }
    }
}
