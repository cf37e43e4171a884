using VectorPipe.Numerics;
using VectorPipe.Numerics.LinearAlgebra;

namespace VectorPipe.Quantization;

/// <summary>Trains a product quantizer together with a rotation. No state.</summary>
internal static class OptimizedQuantizer
{
    // The rotation needs fewer vectors than the centroids: docs/decisions.md#training.
    private const int MaxRotationRows = 32_768;
    private const int MaxRotationFloats = 1 << 24;
    private const int RowsTogether = 256;

    /// <summary>Bytes that a training takes beyond its sample and beyond a training without a rotation.</summary>
    public static long MemoryBytes(long count, int dimension, int threads)
    {
        long rotating = (long)threads * RowsTogether * dimension * sizeof(float);
        return Math.Max(rotating, RotationTrainer.MemoryBytes(Math.Min(count, RotationRows(dimension)), dimension, threads));
    }

    /// <summary>Learns rotation and centroids.</summary>
    /// <param name="sample">count x dimension floats; becomes centred and rotated.</param>
    /// <param name="count">Vectors in the sample; 1 or more.</param>
    /// <param name="dimension">Components of a vector; 1 to <see cref="Rotation.MaxDimension"/>.</param>
    /// <param name="codeBytes">Chunks; 1 to <paramref name="dimension"/>.</param>
    /// <param name="iterations">k-means iterations at most after the rotation is learned; 1 or more.</param>
    /// <param name="seed">Same sample and seed, same quantizer, whatever the number of threads.</param>
    /// <param name="threads">Worker threads; 1 or more.</param>
    /// <param name="cancellationToken">Observed several times a round.</param>
    /// <exception cref="ArgumentException">The sample's length is not count x dimension.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Quantizer Train(
        Memory<float> sample, int count, int dimension, int codeBytes, int iterations = 12, ulong seed = 0, int threads = 1,
        CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(dimension, Rotation.MaxDimension);
        Quantizer.CheckTraining(sample.Length, count, dimension, codeBytes, iterations, threads);
        ParallelOptions options = ParallelLoops.Options(threads, cancellationToken);
        int[] offsets = Quantizer.ChunkOffsetsOf(dimension, codeBytes);
        float[] mean = Quantizer.MeanOf(sample.Span, count, dimension);
        for (int i = 0; i < count; i++)
        {
            Span<float> vector = sample.Span.Slice(i * dimension, dimension);
            for (int k = 0; k < dimension; k++)
                vector[k] -= mean[k];
        }

        var trainers = CodebookTrainers.For(count, offsets);
        (Rotation rotation, float[] centroids) = LearnRotation(trainers, sample, count, offsets, seed, options);
        Rotate(sample, count, rotation, options);
        Quantizer.ForEachChunk(trainers, sample, count, new float[dimension], offsets, options, (chunk, trainer) =>
            trainer.Refine(Quantizer.CentroidsOf(centroids, offsets, chunk), iterations, cancellationToken));
        return new Quantizer(offsets, mean, centroids, rotation);
    }

    private static (Rotation Rotation, float[] Centroids) LearnRotation(
        CodebookTrainers trainers, Memory<float> sample, int count, int[] offsets, ulong seed, ParallelOptions options)
    {
        // Spread the rows evenly: the sample may be sorted.
        int dimension = offsets[^1];
        using var trainer = new RotationTrainer(
            new SpreadRows(sample, count, dimension, Math.Min(count, RotationRows(dimension))), offsets, trainers, seed, options);
        return (trainer.Train(), trainer.Centroids);
    }

    private static void Rotate(Memory<float> sample, int count, Rotation rotation, ParallelOptions options)
    {
        int dimension = rotation.Dimension;
        Parallel.For(0, (count - 1) / RowsTogether + 1, options, () => new float[RowsTogether * dimension], (part, _, rotated) =>
        {
            int first = part * RowsTogether, rows = Math.Min(RowsTogether, count - first);
            Span<float> vectors = sample.Span.Slice(first * dimension, rows * dimension);
            rotation.Apply(vectors, rows, rotated);
            rotated.AsSpan(0, vectors.Length).CopyTo(vectors);
            return rotated;
        }, _ => { });
    }

    private static int RotationRows(int dimension) => Math.Min(MaxRotationRows, MaxRotationFloats / dimension);
}
