using System.Buffers;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.LinearAlgebra;

namespace VectorPipe.Quantization;

/// <summary>Learns a rotation with its centroids: optimized product quantization (Ge, He, Ke, Sun 2013).</summary>
/// <remarks>
/// <para>Starts from no rotation or from principal axes, whichever codes the sample better (docs/decisions.md#training). Each round
/// improves the centroids for the rotated sample, then takes the rotation that brings the sample X nearest to its decoded codes Y: the
/// polar factor of XᵀY.</para>
/// <para>One instance a training. The result depends only on sample, shape and seed: one thread sums each number in one order.</para>
/// </remarks>
internal sealed unsafe class RotationTrainer : IDisposable
{
    // Vectors of more components keep the first rotation: the factor takes time by the cube of the dimension.
    private const int MaxRefined = 512;
    private const int MaxRounds = 12;
    private const int FirstIterations = 4;

    // Stop when a round gained less than this share of the error.
    private const double LeastGain = 0.003;

    // Keep directions without variance, which would make the factor ill defined.
    private const double Inertia = 1e-6;

    private const int RowsTogether = 256;

    private readonly SpreadRows _sample;
    private readonly int _count;
    private readonly int _dimension;
    private readonly int[] _chunkOffsets;
    private readonly CodebookTrainers _trainers;
    private readonly NativeMemory<float> _decoded;
    private readonly float[] _noMean;
    private readonly ulong _seed;
    private readonly ParallelOptions _options;
    private double[] _rotation;

    /// <param name="sample">Centred vectors.</param>
    /// <param name="chunkOffsets">The first component of each chunk, and at the end the dimension.</param>
    /// <param name="trainers">A pool for the sample.</param>
    /// <param name="seed">Chooses the first centroids.</param>
    /// <param name="options">Threads and cancellation.</param>
    public RotationTrainer(SpreadRows sample, int[] chunkOffsets, CodebookTrainers trainers, ulong seed, ParallelOptions options)
    {
        _sample = sample;
        _count = sample.Count;
        _chunkOffsets = chunkOffsets;
        _trainers = trainers;
        _dimension = chunkOffsets[^1];
        _seed = seed;
        _options = options;
        _decoded = new NativeMemory<float>(checked(_count * _dimension));
        _noMean = new float[_dimension];
        _rotation = Identity(_dimension);
        Centroids = new float[_dimension * CentroidSearch.Centroids];
    }

    /// <summary>The centroids that go with the rotation.</summary>
    public float[] Centroids { get; }

    /// <summary>Bytes of a training beyond its sample.</summary>
    public static long MemoryBytes(long count, long dimension, int threads) =>
        (count + ((2 * CentroidSearch.Centroids) + 1)) * dimension * sizeof(float)
        + dimension * dimension * (4 * sizeof(double) + 3 * sizeof(float))
        + threads * Math.Max(CrossProduct.ScratchBytes((int)dimension), RowsTogether * dimension * sizeof(float));

    /// <summary>Frees the memory of the training.</summary>
    public void Dispose() => ((IDisposable)_decoded).Dispose();

    /// <summary>Learns the rotation.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public Rotation Train()
    {
        double error = Start();
        for (int round = 0; round < MaxRounds && _dimension <= MaxRefined; round++)
        {
            StepRotation();
            double before = error;
            error = StepCentroids(isFirst: false);
            if (error >= (1 - LeastGain) * before)
                break;
        }

        return Current();
    }

    private double Start()
    {
        double[] identity = _rotation;
        double[] axes = CrossProduct.Compute(_sample, _sample, _options);
        if (PrincipalAxes.Find(axes, _dimension, _options) is not { } variances)
            return StepCentroids(isFirst: true);
        double plain = StepCentroids(isFirst: true);
        float[] centroids = [.. Centroids];
        _rotation = BalancedAxes.Deal(axes, variances, _chunkOffsets);
        double turned = StepCentroids(isFirst: true);
        if (turned < plain)
            return turned;
        _rotation = identity;
        centroids.CopyTo(Centroids, 0);
        return StepCentroids(isFirst: false);
    }

    /// <summary>Improves the centroids and decodes the codes of the sample.</summary>
    /// <returns>The squared error of the sample.</returns>
    private double StepCentroids(bool isFirst)
    {
        Rotation rotation = Current();
        Parallel.For(
            0, (_count - 1) / RowsTogether + 1, _options, () => ArrayPool<float>.Shared.Rent(RowsTogether * _dimension), (part, _, room) =>
        {
            int first = part * RowsTogether, rows = Math.Min(RowsTogether, _count - first);
            rotation.Apply(_sample.Together(first, rows, room), rows, _decoded.GetSpan().Slice(first * _dimension, rows * _dimension));
            return room;
        }, room => ArrayPool<float>.Shared.Return(room));

        // Decoding replaces the components of a chunk of the rotated sample.
        var errors = new double[_chunkOffsets.Length - 1];
        Quantizer.ForEachChunk(_trainers, _decoded.Memory, _count, _noMean, _chunkOffsets, _options, (chunk, trainer) =>
        {
            Span<float> centroids = Quantizer.CentroidsOf(Centroids, _chunkOffsets, chunk);
            if (isFirst)
                trainer.Train(centroids, FirstIterations, Quantizer.SeedOf(_seed, chunk), _options.CancellationToken);
            else
                trainer.Refine(centroids, 2, _options.CancellationToken);
            errors[chunk] = trainer.Decode(centroids, _decoded.GetSpan()[_chunkOffsets[chunk]..], _dimension);
        });
        return errors.Sum();
    }

    private void StepRotation()
    {
        double[] product = CrossProduct.Compute(_sample, new SpreadRows(_decoded.Memory, _count, _dimension), _options);
        double norm = 0;
        foreach (double value in product)
            norm += value * value;
        double inertia = Inertia * Math.Sqrt(norm / _dimension);
        for (int i = 0; i < product.Length; i++)
            product[i] += inertia * _rotation[i];

        // Without a factor (the sample may be a single point) keep the rotation.
        if (PolarFactor.TryCompute(product, _dimension, _options.CancellationToken))
            _rotation = product;
    }

    private Rotation Current() => new(_dimension, Array.ConvertAll(_rotation, value => (float)value));

    private static double[] Identity(int size)
    {
        var identity = new double[size * size];
        for (int i = 0; i < size; i++)
            identity[(i * size) + i] = 1;
        return identity;
    }
}
