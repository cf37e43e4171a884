using System.Buffers;
using VectorPipe.Model;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Quantization;

/// <summary>
/// Product quantizer (Jégou, Douze, Schmid 2011): cuts a vector into chunks of components and names, for each chunk, the nearest of
/// 256 centroids by one byte.
/// </summary>
/// <remarks>
/// <para>Vectors are centred by the sample's mean before anything else, and then rotated if the quantizer has a rotation. Of a trained
/// quantizer the first (dimension mod chunks) chunks have one
/// component more than the others; one that was made elsewhere may be cut anywhere.</para>
/// <para>Immutable once created, so any number of threads may use it.</para>
/// </remarks>
internal sealed unsafe class ProductQuantizer : Quantizer
{
    /// <summary>Centroids of a chunk.</summary>
    public const int CentroidsPerChunk = CentroidSearch.Centroids;

    private readonly int[] _chunkOffsets;
    private readonly float[] _mean;
    private readonly float[] _centroids;
    private readonly float[] _halfNorms;
    private readonly float[] _noMean;
    private readonly int _longestChunk;

    /// <summary>Takes over parts that are known to be right.</summary>
    /// <param name="chunkOffsets">The first component of each chunk, ascending from 0, and at the end the dimension.</param>
    /// <param name="mean">What is subtracted from a vector: a float a component.</param>
    /// <param name="centroids">See <see cref="Centroids"/>.</param>
    /// <param name="rotation">What a centred vector goes through before it is cut into chunks; null for nothing.</param>
    internal ProductQuantizer(int[] chunkOffsets, float[] mean, float[] centroids, Rotation? rotation = null)
        : base(mean.Length, chunkOffsets.Length - 1)
    {
        Rotation = rotation;
        _chunkOffsets = chunkOffsets;
        _mean = mean;
        _centroids = centroids;
        _noMean = rotation is null ? [] : new float[mean.Length];
        _halfNorms = new float[CodeBytes * CentroidsPerChunk];
        _longestChunk = Enumerable.Range(0, CodeBytes).Max(ChunkLength);
        fixed (float* table = _centroids, halfNorms = _halfNorms)
        {
            for (int chunk = 0; chunk < CodeBytes; chunk++)
                CentroidSearch.HalfNorms(
                    table + (_chunkOffsets[chunk] * CentroidsPerChunk), ChunkLength(chunk), halfNorms + (chunk * CentroidsPerChunk));
        }
    }

    /// <summary>The first component of each chunk, and at the end the dimension: <see cref="Quantizer.CodeBytes"/> + 1 numbers.</summary>
    public ReadOnlySpan<int> ChunkOffsets => _chunkOffsets;

    /// <summary>What is subtracted from a vector before it is coded: <see cref="Quantizer.Dimension"/> floats.</summary>
    public ReadOnlySpan<float> Mean => _mean;

    /// <summary>What a centred vector goes through before it is cut into chunks; null for nothing.</summary>
    public Rotation? Rotation { get; }

    /// <inheritdoc/>
    public override CodeKind Kind => Rotation is null ? CodeKind.Pq : CodeKind.Opq;

    /// <summary>All centroids: chunk by chunk, within a chunk component by component, 256 floats each.</summary>
    public ReadOnlySpan<float> Centroids => _centroids;

    /// <summary>Learns the centroids from a sample.</summary>
    /// <param name="sample">count x dimension floats. A few tens of thousands of vectors are enough; fewer than 256 work.</param>
    /// <param name="count">Vectors in the sample; 1 or more.</param>
    /// <param name="dimension">Components of a vector; 1 to <see cref="Quantizer.MaxDimension"/>.</param>
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
        CheckTraining(sample.Length, count, dimension, codeBytes, iterations, threads);
        float[] mean = MeanOf(sample.Span, count, dimension);
        int[] offsets = ChunkOffsetsOf(dimension, codeBytes);
        float[] centroids = new float[dimension * CentroidsPerChunk];
        var options = new ParallelOptions { MaxDegreeOfParallelism = threads, CancellationToken = cancellationToken };
        ForEachChunk(CodebookTrainers.For(count, offsets), sample, count, mean, offsets, options, (chunk, trainer) =>
            trainer.Train(CentroidsOf(centroids, offsets, chunk), iterations, SeedOf(seed, chunk), cancellationToken));
        return new ProductQuantizer(offsets, mean, centroids);
    }

    /// <summary>Refuses what cannot be trained.</summary>
    internal static void CheckTraining(int sampleLength, int count, int dimension, int codeBytes, int iterations, int threads)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(dimension, MaxDimension);
        ArgumentOutOfRangeException.ThrowIfLessThan(codeBytes, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(codeBytes, dimension);
        ArgumentOutOfRangeException.ThrowIfLessThan(iterations, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        if (sampleLength != (long)count * dimension)
            throw new ArgumentException($"Expected {count} x {dimension} floats, found {sampleLength}.", nameof(sampleLength));
    }

    /// <summary>Calls back for each chunk with a trainer of its points; several at once.</summary>
    /// <param name="trainers">Have room for the points.</param>
    /// <param name="sample">count x dimension floats.</param>
    /// <param name="count">Vectors in the sample.</param>
    /// <param name="mean">What is subtracted from them.</param>
    /// <param name="offsets">The first component of each chunk, and at the end the dimension.</param>
    /// <param name="options">How many at once, and what cancels.</param>
    /// <param name="train">Takes the number of the chunk, and the trainer.</param>
    internal static void ForEachChunk(
        CodebookTrainers trainers, ReadOnlyMemory<float> sample, int count, float[] mean, int[] offsets, ParallelOptions options,
        Action<int, CodebookTrainer> train)
    {
        Parallel.For(0, offsets.Length - 1, options, trainers.Rent, (chunk, _, trainer) =>
        {
            int first = offsets[chunk], length = offsets[chunk + 1] - first;
            Centre(sample.Span, count, mean, first, length, trainer.Begin(count, length));
            train(chunk, trainer);
            return trainer;
        }, trainers.Return);
    }

    /// <summary>A chunk's share of the centroids.</summary>
    internal static Span<float> CentroidsOf(float[] centroids, int[] offsets, int chunk) =>
        centroids.AsSpan(offsets[chunk] * CentroidsPerChunk, (offsets[chunk + 1] - offsets[chunk]) * CentroidsPerChunk);

    /// <summary>The seed that a chunk's training begins with.</summary>
    internal static ulong SeedOf(ulong seed, int chunk) => new SplitMix64(seed ^ ((ulong)chunk << 32)).Next();

    /// <inheritdoc/>
    /// <remarks>The nearest centroid of each chunk, of equally near ones the lowest.</remarks>
    public override void Encode(ReadOnlySpan<float> vectors, int count, Span<byte> codes)
    {
        CheckLength(vectors.Length, count, Dimension, nameof(vectors));
        CheckLength(codes.Length, count, CodeBytes, nameof(codes));

        // A block's share of a chunk stays in the first-level cache beside the chunk's centroids.
        int block = Math.Clamp(4096 / _longestChunk, 4, 64);
        float[] points = ArrayPool<float>.Shared.Rent(block * _longestChunk);
        float[] rotated = Rotation is null ? [] : ArrayPool<float>.Shared.Rent(2 * block * Dimension);
        float[] mean = Rotation is null ? _mean : _noMean;
        fixed (float* pinned = points, centroids = _centroids, halfNorms = _halfNorms)
        {
            fixed (byte* code = codes)
            {
                for (int start = 0; start < count; start += block)
                {
                    int rows = Math.Min(block, count - start);
                    ReadOnlySpan<float> part = vectors.Slice(start * Dimension, rows * Dimension);
                    if (Rotation is not null)
                        part = Rotate(Rotation, part, rows, rotated);
                    for (int chunk = 0; chunk < CodeBytes; chunk++)
                    {
                        int first = _chunkOffsets[chunk], length = ChunkLength(chunk);
                        Centre(part, rows, mean, first, length, points);
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
        if (Rotation is not null)
            ArrayPool<float>.Shared.Return(rotated);
    }

    /// <inheritdoc/>
    public override void Decode(ReadOnlySpan<byte> code, Span<float> vector)
    {
        CheckLength(code.Length, 1, CodeBytes, nameof(code));
        CheckLength(vector.Length, 1, Dimension, nameof(vector));
        Span<float> turned = Rotation is null ? vector : new float[Dimension];
        for (int chunk = 0; chunk < CodeBytes; chunk++)
        {
            for (int k = _chunkOffsets[chunk]; k < _chunkOffsets[chunk + 1]; k++)
                turned[k] = _centroids[(k * CentroidsPerChunk) + code[chunk]];
        }

        Rotation?.ApplyInverse(turned, vector);
        for (int k = 0; k < Dimension; k++)
            vector[k] += _mean[k];
    }

    /// <inheritdoc/>
    public override void FillTable(DistanceMetric metric, ReadOnlySpan<float> query, Span<float> scratch, float* table) =>
        ProductTable.Fill(this, metric, query, scratch, table);

    /// <summary>
    /// Where the chunks of a trained quantizer begin: the first (dimension mod chunks) have one component more than the others.
    /// </summary>
    internal static int[] ChunkOffsetsOf(int dimension, int chunks)
    {
        var offsets = new int[chunks + 1];
        for (int chunk = 0; chunk < chunks; chunk++)
            offsets[chunk + 1] = offsets[chunk] + (dimension / chunks) + (chunk < dimension % chunks ? 1 : 0);
        return offsets;
    }

    internal static float[] MeanOf(ReadOnlySpan<float> sample, int count, int dimension)
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

    /// <summary>Rows centred and rotated.</summary>
    /// <param name="rotation">This quantizer's.</param>
    /// <param name="vectors">The rows.</param>
    /// <param name="count">How many.</param>
    /// <param name="room">Twice as many floats or more; holds the result.</param>
    private ReadOnlySpan<float> Rotate(Rotation rotation, ReadOnlySpan<float> vectors, int count, float[] room)
    {
        Span<float> centred = room.AsSpan(0, vectors.Length), rotated = room.AsSpan(vectors.Length, vectors.Length);
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<float> vector = vectors.Slice(i * Dimension, Dimension);
            Span<float> target = centred.Slice(i * Dimension, Dimension);
            for (int k = 0; k < vector.Length; k++)
                target[k] = vector[k] - _mean[k];
        }

        rotation.Apply(centred, count, rotated);
        return rotated;
    }

    private int ChunkLength(int chunk) => _chunkOffsets[chunk + 1] - _chunkOffsets[chunk];
}
