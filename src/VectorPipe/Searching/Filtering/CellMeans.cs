using System.Runtime.InteropServices;
using VectorPipe.Numerics.Distances;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Searching.Filtering;

/// <summary>A few means of many points, by k-means with a fixed number of rounds. Not thread-safe.</summary>
/// <param name="dimension">Components of a point.</param>
/// <param name="most">Means, at most; 1 or more.</param>
/// <param name="seed">Same points and seed, same means.</param>
internal sealed unsafe class CellMeans(int dimension, int most, ulong seed)
{
    // Further rounds move few points: cells need not be the best ones.
    private const int Rounds = 5;

    private readonly QueryDistance _distance = QueryDistance.Create(DistanceMetric.L2, VectorElementType.Float32, dimension);
    private float[] _means = [];
    private float[] _distances = [];

    /// <summary>Means.</summary>
    public int Count { get; private set; }

    /// <summary>A mean.</summary>
    public ReadOnlySpan<float> Mean(int number) => _means.AsSpan(number * dimension, dimension);

    /// <summary>The number of the nearest mean; of equally near ones the lowest.</summary>
    public int Nearest(ReadOnlySpan<float> point)
    {
        if (Count == 1)
            return 0;
        _distance.SetQuery(MemoryMarshal.AsBytes(point));
        fixed (float* means = _means)
            _distance.ComputeStrided((byte*)means, (nint)dimension * sizeof(float), Count, _distances);
        int best = 0;
        for (int i = 1; i < Count; i++)
            best = _distances[i] < _distances[best] ? i : best;
        return best;
    }

    /// <summary>Finds the means of points, and returns the number of the mean of each.</summary>
    public int[] Train(ReadOnlySpan<float> points, int count, CancellationToken cancellationToken)
    {
        Count = Math.Max(1, Math.Min(most, count));
        _means = new float[checked(Count * dimension)];
        _distances = new float[Count];
        var random = new SplitMix64(seed);
        for (int i = 0; i < Math.Min(Count, count); i++)
            Choose(points, i, (int)(((long)i * count / Count) + random.Next((int)Math.Max(1, count / Count))));
        var nearest = new int[count];
        var sizes = new int[Count];
        for (int round = 0; round < Rounds; round++)
        {
            for (int i = 0; i < count; i++)
            {
                if (i % 1024 == 0)
                    cancellationToken.ThrowIfCancellationRequested();
                nearest[i] = Nearest(points.Slice(i * dimension, dimension));
            }

            if (round == Rounds - 1 || count == 0)
                break;
            Update(points, nearest, sizes, ref random);
        }

        return nearest;
    }

    private void Update(ReadOnlySpan<float> points, int[] nearest, int[] sizes, ref SplitMix64 random)
    {
        Array.Clear(sizes);
        Array.Clear(_means);
        for (int i = 0; i < nearest.Length; i++)
        {
            sizes[nearest[i]]++;
            Span<float> mean = _means.AsSpan(nearest[i] * dimension, dimension);
            for (int k = 0; k < mean.Length; k++)
                mean[k] += points[(i * dimension) + k];
        }

        for (int i = 0; i < Count; i++)
        {
            if (sizes[i] == 0)
                Choose(points, i, random.Next(nearest.Length));
            Span<float> mean = _means.AsSpan(i * dimension, dimension);
            for (int k = 0; k < mean.Length; k++)
                mean[k] /= Math.Max(1, sizes[i]);
        }
    }

    private void Choose(ReadOnlySpan<float> points, int number, int point) =>
        points.Slice(point * dimension, dimension).CopyTo(_means.AsSpan(number * dimension));
}
