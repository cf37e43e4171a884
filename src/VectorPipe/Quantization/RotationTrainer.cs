using System.Buffers;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.LinearAlgebra;

namespace VectorPipe.Quantization;

/// <summary>
/// Learns the rotation after which chunks lose least: optimized product quantization (Ge, He, Ke, Sun 2013), and the centroids that go with
/// it.
/// </summary>
/// <remarks>
/// <para>It starts from no rotation or from principal axes dealt out evenly, whichever codes the sample better, and goes on in turns: the
/// centroids take a step for the rotated sample,
/// and the rotation becomes the one that brings the sample nearest to what its codes stand for: the polar factor of XᵀY, X the sample and Y
/// what the codes stand for.</para>
/// <para>Neither start will do for all data. Mean squared errors at the end, from no rotation / from principal axes: 3,240 / 4,880 (SIFT of
/// photographs, 32 bytes: components are sparse, and
/// neighbours hang together), 0.157 / 0.115 (text embeddings, 384 components in 48 bytes: variance lies in few directions).</para>
/// <para>One instance a training. The outcome depends on sample, shape and seed alone: every number is summed by one thread in one
/// order.</para>
/// </remarks>
internal sealed unsafe class RotationTrainer : IDisposable
{
    /// <summary>Components up to which the rotation is refined in turns; above them the start is the end.</summary>
    /// <remarks>
    /// The factor takes time by the cube of the dimension, and data of so many components gains next to nothing: 1.5 % of error in 12 turns
    /// at 384.
    /// </remarks>
    private const int MaxRefined = 512;
    private const int MaxRounds = 12;
    private const int FirstIterations = 4;

    // Another turn is not worth its time when the last one gained less than this share of the error.
    private const double LeastGain = 0.003;

    // Directions of which the sample says nothing stay as they are, instead of making the factor ill defined.
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

    /// <param name="sample">Vectors around the origin.</param>
    /// <param name="chunkOffsets">The first component of each chunk, and at the end the dimension.</param>
    /// <param name="trainers">Have room for the sample.</param>
    /// <param name="seed">Chooses the first centroids.</param>
    /// <param name="options">How many threads, and what cancels the training within a turn.</param>
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

    /// <summary>Bytes that a training holds beside its sample.</summary>
    /// <param name="count">Vectors in the sample.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="threads">Worker threads.</param>
    public static long MemoryBytes(long count, long dimension, int threads) =>
        (count + ((2 * CentroidSearch.Centroids) + 1)) * dimension * sizeof(float)
        + dimension * dimension * (4 * sizeof(double) + 3 * sizeof(float))
        + threads * Math.Max(CrossProduct.ScratchBytes((int)dimension), RowsTogether * dimension * sizeof(float));

    /// <summary>Frees what the training worked on.</summary>
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

    /// <summary>Moves the centroids, and finds out what the sample's codes stand for.</summary>
    /// <returns>The sample's squared error.</returns>
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

        // A chunk's components of the rotated sample give way to those of what its codes stand for.
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

        // Without a factor (all of the sample may be one point) any rotation is as good as the one that is there.
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
