using System.Buffers;
using VectorPipe.Model;
using VectorPipe.Numerics;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Quantization;

/// <summary>
/// Product quantizer (Jégou, Douze, Schmid 2011): cuts a vector into chunks of components and names, for each chunk, the nearest of
/// 256 centroids by one byte.
/// </summary>
/// <remarks>
/// <para>A vector is centred by the mean of the sample, then rotated if the quantizer has a rotation, then cut. An imported quantizer may
/// cut it anywhere.</para>
/// <para>The table of a query has a row of 256 entries for each byte of a code. The distance to a coded vector is the sum of the entries
/// that its bytes name.</para>
/// <para>Immutable, so any number of threads may use it.</para>
/// </remarks>
internal sealed unsafe class Quantizer
{
    /// <summary>The most components of a vector.</summary>
    public const int MaxDimension = 65_536;

    /// <summary>Centroids of a chunk.</summary>
    public const int CentroidsPerChunk = CentroidSearch.Centroids;

    private readonly int[] _chunkOffsets;
    private readonly float[] _mean;
    private readonly float[] _centroids;
    private readonly float[] _noMean;
    private readonly int _longestChunk;
    private float[]? _halfNorms;

    /// <summary>Creates a quantizer of parts that are known to be valid; it keeps the arrays.</summary>
    /// <param name="chunkOffsets">See <see cref="ChunkOffsets"/>.</param>
    /// <param name="mean">See <see cref="Mean"/>.</param>
    /// <param name="centroids">See <see cref="Centroids"/>.</param>
    /// <param name="rotation">See <see cref="Rotation"/>.</param>
    public Quantizer(int[] chunkOffsets, float[] mean, float[] centroids, Rotation? rotation = null)
    {
        Dimension = mean.Length;
        CodeBytes = chunkOffsets.Length - 1;
        Rotation = rotation;
        _chunkOffsets = chunkOffsets;
        _mean = mean;
        _centroids = centroids;
        _noMean = rotation is null ? [] : new float[mean.Length];
        _longestChunk = Enumerable.Range(0, CodeBytes).Max(ChunkLength);
    }

    /// <summary>Components of a vector.</summary>
    public int Dimension { get; }

    /// <summary>Bytes of a code: one for each chunk.</summary>
    public int CodeBytes { get; }

    /// <summary>The first component of each chunk, ascending from 0, then the dimension.</summary>
    public ReadOnlySpan<int> ChunkOffsets => _chunkOffsets;

    /// <summary>The vector that is subtracted from each vector before it is coded.</summary>
    public ReadOnlySpan<float> Mean => _mean;

    /// <summary>The rotation of a centred vector before it is cut into chunks; null for none.</summary>
    public Rotation? Rotation { get; }

    /// <summary>How codes are made.</summary>
    public CodeKind Kind => Rotation is null ? CodeKind.Pq : CodeKind.Opq;

    /// <summary>Which vectors it codes, and how.</summary>
    public QuantizerShape Shape => new(Dimension, CodeBytes, Kind);

    /// <summary>All centroids: chunk by chunk, within a chunk component by component, 256 floats each.</summary>
    public ReadOnlySpan<float> Centroids => _centroids;

    // Searches do not need them: a quarter of the memory of a code book.
    private float[] HalfNorms
    {
        get
        {
            if (Volatile.Read(ref _halfNorms) is { } known)
                return known;
            float[] computed = new float[CodeBytes * CentroidsPerChunk];
            fixed (float* table = _centroids, halfNorms = computed)
            {
                for (int chunk = 0; chunk < CodeBytes; chunk++)
                    CentroidSearch.HalfNorms(
                        table + (_chunkOffsets[chunk] * CentroidsPerChunk), ChunkLength(chunk), halfNorms + (chunk * CentroidsPerChunk));
            }

            // Several threads may compute them, and come to the same.
            Volatile.Write(ref _halfNorms, computed);
            return computed;
        }
    }

    /// <summary>Learns the centroids from a sample.</summary>
    /// <param name="sample">count x dimension floats. A few tens of thousands of vectors are enough; fewer than 256 work.</param>
    /// <param name="count">Vectors in the sample; 1 or more.</param>
    /// <param name="dimension">Components of a vector; 1 to <see cref="Quantizer.MaxDimension"/>.</param>
    /// <param name="codeBytes">Chunks; 1 to <paramref name="dimension"/>.</param>
    /// <param name="iterations">k-means iterations at most; 1 or more.</param>
    /// <param name="seed">Same sample and seed, same quantizer, whatever the number of threads.</param>
    /// <param name="threads">Chunks that are trained at once; 1 or more.</param>
    /// <param name="cancellationToken">Observed before each iteration.</param>
    /// <exception cref="ArgumentException">The sample's length is not count x dimension.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Quantizer Train(
        ReadOnlyMemory<float> sample, int count, int dimension, int codeBytes, int iterations = 12, ulong seed = 0, int threads = 1,
        CancellationToken cancellationToken = default)
    {
        CheckTraining(sample.Length, count, dimension, codeBytes, iterations, threads);
        float[] mean = MeanOf(sample.Span, count, dimension);
        int[] offsets = ChunkOffsetsOf(dimension, codeBytes);
        float[] centroids = new float[dimension * CentroidsPerChunk];
        ParallelOptions options = ParallelLoops.Options(threads, cancellationToken);
        ForEachChunk(CodebookTrainers.For(count, offsets), sample, count, mean, offsets, options, (chunk, trainer) =>
            trainer.Train(CentroidsOf(centroids, offsets, chunk), iterations, SeedOf(seed, chunk), cancellationToken));
        return new Quantizer(offsets, mean, centroids);
    }

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

    /// <summary>Calls <paramref name="train"/> for each chunk with a trainer that holds its centred points, in parallel.</summary>
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

    internal static Span<float> CentroidsOf(float[] centroids, int[] offsets, int chunk) =>
        centroids.AsSpan(offsets[chunk] * CentroidsPerChunk, (offsets[chunk + 1] - offsets[chunk]) * CentroidsPerChunk);

    internal static ulong SeedOf(ulong seed, int chunk) => new SplitMix64(seed ^ ((ulong)chunk << 32)).Next();

    /// <summary>Codes vectors by the nearest centroid of each chunk, of equally near ones the lowest.</summary>
    /// <param name="vectors">count x <see cref="Dimension"/> floats.</param>
    /// <param name="count">Vectors.</param>
    /// <param name="codes">Receives count x <see cref="CodeBytes"/> bytes.</param>
    /// <exception cref="ArgumentException">A span has another length.</exception>
    public void Encode(ReadOnlySpan<float> vectors, int count, Span<byte> codes)
    {
        CheckLength(vectors.Length, count, Dimension, nameof(vectors));
        CheckLength(codes.Length, count, CodeBytes, nameof(codes));

        // The chunk of a block of vectors stays in the first-level cache beside the centroids.
        int block = Math.Clamp(4096 / _longestChunk, 4, 64);
        float[] points = ArrayPool<float>.Shared.Rent(block * _longestChunk);
        float[] rotated = Rotation is null ? [] : ArrayPool<float>.Shared.Rent(2 * block * Dimension);
        float[] mean = Rotation is null ? _mean : _noMean;
        fixed (float* pinned = points, centroids = _centroids, halfNorms = HalfNorms)
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
                            pinned, rows, length, centroids + (first * CentroidsPerChunk), halfNorms + (chunk * CentroidsPerChunk),
                            code + (start * (nint)CodeBytes) + chunk, CodeBytes);
                    }
                }
            }
        }

        ArrayPool<float>.Shared.Return(points);
        if (Rotation is not null)
            ArrayPool<float>.Shared.Return(rotated);
    }

    /// <summary>Computes the vector that a code stands for.</summary>
    /// <param name="code"><see cref="CodeBytes"/> bytes.</param>
    /// <param name="vector">Receives <see cref="Dimension"/> floats.</param>
    /// <exception cref="ArgumentException">A span has another length.</exception>
    public void Decode(ReadOnlySpan<byte> code, Span<float> vector)
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

    /// <summary>The chunks of a trained quantizer: the first (dimension mod chunks) have one component more than the others.</summary>
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

    // The room has at least twice the floats of the vectors; it holds the result.
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

    private static void CheckLength(int found, int count, int each, string name)
    {
        if (count < 0 || found != (long)count * each)
            throw new ArgumentException($"Expected {count} x {each} elements, found {found}.", name);
    }
}
