using System.Buffers;

namespace VectorPipe.Quantization;

/// <summary>
/// Product quantizer (Jégou, Douze, Schmid 2011): cuts a vector into chunks of components and names, for each chunk, the nearest of
/// 256 centroids by one byte.
/// </summary>
/// <remarks>
/// <para>Vectors are centred by the sample's mean before anything else. Of a trained quantizer the first (dimension mod chunks) chunks have one
/// component more than the others; one that was made elsewhere may be cut anywhere.</para>
/// <para>Immutable once created, so any number of threads may use it.</para>
/// </remarks>
internal sealed unsafe class ProductQuantizer
{
    /// <summary>Centroids of a chunk.</summary>
    public const int CentroidsPerChunk = CentroidSearch.Centroids;

    /// <summary>The most components a vector may have.</summary>
    public const int MaxDimension = 65_536;

    private readonly int[] _chunkOffsets;
    private readonly float[] _mean;
    private readonly float[] _centroids;
    private readonly float[] _halfNorms;
    private readonly int _longestChunk;

    /// <summary>Takes over parts that are known to be right.</summary>
    /// <param name="chunkOffsets">The first component of each chunk, ascending from 0, and at the end the dimension.</param>
    /// <param name="mean">What is subtracted from a vector: a float a component.</param>
    /// <param name="centroids">See <see cref="Centroids"/>.</param>
    internal ProductQuantizer(int[] chunkOffsets, float[] mean, float[] centroids)
    {
        Dimension = mean.Length;
        CodeBytes = chunkOffsets.Length - 1;
        _chunkOffsets = chunkOffsets;
        _mean = mean;
        _centroids = centroids;
        _halfNorms = new float[CodeBytes * CentroidsPerChunk];
        _longestChunk = Enumerable.Range(0, CodeBytes).Max(ChunkLength);
        fixed (float* table = _centroids, halfNorms = _halfNorms)
        {
            for (int chunk = 0; chunk < CodeBytes; chunk++)
                CentroidSearch.HalfNorms(table + (_chunkOffsets[chunk] * CentroidsPerChunk), ChunkLength(chunk), halfNorms + (chunk * CentroidsPerChunk));
        }
    }

    /// <summary>Components of a vector.</summary>
    public int Dimension { get; }

    /// <summary>Bytes of a code: one a chunk.</summary>
    public int CodeBytes { get; }

    /// <summary>The first component of each chunk, and at the end the dimension: <see cref="CodeBytes"/> + 1 numbers.</summary>
    public ReadOnlySpan<int> ChunkOffsets => _chunkOffsets;

    /// <summary>What is subtracted from a vector before it is coded: <see cref="Dimension"/> floats.</summary>
    public ReadOnlySpan<float> Mean => _mean;

    /// <summary>All centroids: chunk by chunk, within a chunk component by component, 256 floats each.</summary>
    public ReadOnlySpan<float> Centroids => _centroids;

    /// <summary>Learns the centroids from a sample.</summary>
    /// <param name="sample">count x dimension floats. A few tens of thousands of vectors are enough; fewer than 256 work.</param>
    /// <param name="count">Vectors in the sample; 1 or more.</param>
    /// <param name="dimension">Components of a vector; 1 to <see cref="MaxDimension"/>.</param>
    /// <param name="codeBytes">Chunks; 1 to <paramref name="dimension"/>.</param>
    /// <param name="iterations">k-means iterations at most; 1 or more.</param>
    /// <param name="seed">Same sample and seed, same quantizer, whatever the number of threads.</param>
    /// <param name="threads">Chunks that are trained at once; 1 or more.</param>
    /// <param name="cancellationToken">Ends the training between iterations.</param>
    /// <exception cref="ArgumentException">The sample's length is not count x dimension.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static ProductQuantizer Train(
        ReadOnlyMemory<float> sample,
        int count,
        int dimension,
        int codeBytes,
        int iterations = 12,
        ulong seed = 0,
        int threads = 1,
        CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(dimension, MaxDimension);
        ArgumentOutOfRangeException.ThrowIfLessThan(codeBytes, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(codeBytes, dimension);
        ArgumentOutOfRangeException.ThrowIfLessThan(iterations, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        if (sample.Length != (long)count * dimension)
            throw new ArgumentException($"Expected {count} x {dimension} floats, found {sample.Length}.", nameof(sample));

        float[] mean = MeanOf(sample.Span, count, dimension);
        var centroids = new float[dimension * CentroidsPerChunk];
        int[] offsets = ChunkOffsetsOf(dimension, codeBytes);
        var options = new ParallelOptions { MaxDegreeOfParallelism = threads, CancellationToken = cancellationToken };
        int longest = Enumerable.Range(0, codeBytes).Max(chunk => offsets[chunk + 1] - offsets[chunk]);
        Parallel.For(0, codeBytes, options, () => new float[count * (long)longest], (chunk, _, points) =>
        {
            int first = offsets[chunk], length = offsets[chunk + 1] - first;
            Centre(sample.Span, count, mean, first, length, points);
            new CodebookTrainer(points, count, length).Train(
                centroids.AsSpan(first * CentroidsPerChunk, length * CentroidsPerChunk),
                iterations,
                new SplitMix64(seed ^ ((ulong)chunk << 32)).Next(),
                cancellationToken);
            return points;
        }, _ => { });
        return new ProductQuantizer(offsets, mean, centroids);
    }

    /// <summary>Codes vectors: the nearest centroid of each chunk, of equally near ones the lowest.</summary>
    /// <param name="vectors">count x <see cref="Dimension"/> floats.</param>
    /// <param name="count">Vectors.</param>
    /// <param name="codes">Receives count x <see cref="CodeBytes"/> bytes.</param>
    public void Encode(ReadOnlySpan<float> vectors, int count, Span<byte> codes)
    {
        CheckLength(vectors.Length, count, Dimension, nameof(vectors));
        CheckLength(codes.Length, count, CodeBytes, nameof(codes));

        // A block's share of a chunk stays in the first-level cache beside the chunk's centroids.
        int block = Math.Clamp(4096 / _longestChunk, 4, 64);
        float[] points = ArrayPool<float>.Shared.Rent(block * _longestChunk);
        fixed (float* pinned = points, centroids = _centroids, halfNorms = _halfNorms)
        {
            fixed (byte* code = codes)
            {
                for (int start = 0; start < count; start += block)
                {
                    int rows = Math.Min(block, count - start);
                    ReadOnlySpan<float> part = vectors.Slice(start * Dimension, rows * Dimension);
                    for (int chunk = 0; chunk < CodeBytes; chunk++)
                    {
                        int first = _chunkOffsets[chunk], length = ChunkLength(chunk);
                        Centre(part, rows, _mean, first, length, points);
                        CentroidSearch.Nearest(
                            pinned,
                            rows,
                            length,
                            centroids + (first * CentroidsPerChunk),
                            halfNorms + (chunk * CentroidsPerChunk),
                            code + (start * (nint)CodeBytes) + chunk,
                            CodeBytes);
                    }
                }
            }
        }

        ArrayPool<float>.Shared.Return(points);
    }

    /// <summary>The vector that a code stands for.</summary>
    /// <param name="code"><see cref="CodeBytes"/> bytes.</param>
    /// <param name="vector">Receives <see cref="Dimension"/> floats.</param>
    public void Decode(ReadOnlySpan<byte> code, Span<float> vector)
    {
        CheckLength(code.Length, 1, CodeBytes, nameof(code));
        CheckLength(vector.Length, 1, Dimension, nameof(vector));
        for (int chunk = 0; chunk < CodeBytes; chunk++)
        {
            for (int k = _chunkOffsets[chunk]; k < _chunkOffsets[chunk + 1]; k++)
                vector[k] = _mean[k] + _centroids[(k * CentroidsPerChunk) + code[chunk]];
        }
    }

    /// <summary>Where the chunks of a trained quantizer begin: the first (dimension mod chunks) have one component more than the others.</summary>
    internal static int[] ChunkOffsetsOf(int dimension, int chunks)
    {
        var offsets = new int[chunks + 1];
        for (int chunk = 0; chunk < chunks; chunk++)
            offsets[chunk + 1] = offsets[chunk] + (dimension / chunks) + (chunk < dimension % chunks ? 1 : 0);
        return offsets;
    }

    private static float[] MeanOf(ReadOnlySpan<float> sample, int count, int dimension)
    {
        var sums = new double[dimension];
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<float> vector = sample.Slice(i * dimension, dimension);
            for (int k = 0; k < vector.Length; k++)
                sums[k] += vector[k];
        }

        return Array.ConvertAll(sums, sum => (float)(sum / count));
    }

    private static void Centre(ReadOnlySpan<float> vectors, int count, float[] mean, int first, int length, float[] points)
    {
        ReadOnlySpan<float> centre = mean.AsSpan(first, length);
        int dimension = mean.Length, at = 0;
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<float> vector = vectors.Slice((i * dimension) + first, length);
            for (int k = 0; k < vector.Length; k++)
                points[at++] = vector[k] - centre[k];
        }
    }

    private static void CheckLength(int found, int count, int each, string name)
    {
        if (count < 0 || found != (long)count * each)
            throw new ArgumentException($"Expected {count} x {each} elements, found {found}.", name);
    }

    private int ChunkLength(int chunk) => _chunkOffsets[chunk + 1] - _chunkOffsets[chunk];
}
