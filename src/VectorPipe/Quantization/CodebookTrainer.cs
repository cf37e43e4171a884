using System.Numerics;
using System.Runtime.CompilerServices;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Quantization;

/// <summary>k-means with 256 centroids for one chunk: k-means++, then the iterations of Lloyd.</summary>
/// <remarks>
/// One instance a thread, for one chunk after another (docs/decisions.md#memory-left-behind). The result depends only on the points, the
/// seed and the number of iterations.
/// </remarks>
internal sealed unsafe class CodebookTrainer
{
    private const int Centroids = CentroidSearch.Centroids;

    // The first centroids are chosen among this many points: see docs/decisions.md#training.
    private const int FirstPoints = 4096;

    private readonly float[] _points;
    private readonly byte[] _assigned;
    private readonly int[] _order;
    private readonly float[] _columns;
    private readonly double[] _nearest;
    private readonly float[] _halfNorms = new float[Centroids];
    private readonly double[] _sums;
    private readonly int[] _members = new int[Centroids];
    private int _count;
    private int _dimension;

    /// <param name="mostPoints">Most points; 1 or more.</param>
    /// <param name="mostComponents">Most components of a point; 1 or more.</param>
    public CodebookTrainer(int mostPoints, int mostComponents)
    {
        int first = Math.Min(mostPoints, FirstPoints);
        _points = new float[mostPoints * (long)mostComponents];
        _assigned = new byte[mostPoints];
        _order = new int[mostPoints];
        _columns = new float[first * mostComponents];
        _nearest = new double[first];
        _sums = new double[mostComponents * Centroids];
    }

    /// <summary>Starts with new points.</summary>
    /// <param name="count">Points; 1 or more.</param>
    /// <param name="dimension">Components of a point; 1 or more.</param>
    /// <returns>The array that the caller fills with count x dimension floats.</returns>
    public float[] Begin(int count, int dimension)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _assigned.Length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count * (long)dimension, _points.Length);
        _count = count;
        _dimension = dimension;
        return _points;
    }

    /// <summary>Finds the centroids.</summary>
    /// <param name="centroids">Receives dimension x 256 floats. With fewer distinct points than that, some centroids are equal.</param>
    /// <param name="iterations">Lloyd's iterations at most; they end when no centroid moves.</param>
    /// <param name="seed">Chooses the first centroids.</param>
    /// <param name="cancellationToken">Observed before each iteration.</param>
    public void Train(Span<float> centroids, int iterations, ulong seed, CancellationToken cancellationToken)
    {
        ChooseSamples(centroids, seed);
        Refine(centroids, iterations, cancellationToken);
    }

    /// <summary>Improves centroids.</summary>
    /// <param name="centroids">dimension x 256 floats; replaced.</param>
    /// <param name="iterations">Lloyd's iterations at most; they end when no centroid moves.</param>
    /// <param name="cancellationToken">Observed before each iteration.</param>
    public void Refine(Span<float> centroids, int iterations, CancellationToken cancellationToken)
    {
        for (int iteration = 0; iteration < iterations; iteration++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Assign(centroids);
            bool moved = MoveToMeans(centroids);
            if (!ReseedEmpty(centroids) && !moved)
                return;
        }
    }

    /// <summary>Writes the centroid of each point by the last assignment.</summary>
    /// <param name="centroids">The centroids.</param>
    /// <param name="target">Receives the components of a centroid at each stride.</param>
    /// <param name="stride">Floats from one point to the next.</param>
    /// <returns>The sum of squared distances of the points to their centroids.</returns>
    public double Decode(ReadOnlySpan<float> centroids, Span<float> target, int stride)
    {
        double error = 0;
        for (int i = 0; i < _count; i++)
        {
            for (int k = 0; k < _dimension; k++)
            {
                float value = centroids[(k * Centroids) + _assigned[i]];
                double difference = _points[(i * (nint)_dimension) + k] - value;
                error += difference * difference;
                target[(i * stride) + k] = value;
            }
        }

        return error;
    }

    /// <summary>Chooses the first centroids among the points by k-means++ (Arthur and Vassilvitskii 2007).</summary>
    private void ChooseSamples(Span<float> centroids, ulong seed)
    {
        var random = new SplitMix64(seed);
        ReadOnlySpan<int> order = Shuffled(Math.Min(_count, FirstPoints), ref random);
        ReadOnlySpan<float> columns = ColumnsOf(order);
        Span<double> nearest = _nearest.AsSpan(0, order.Length);
        nearest.Fill(double.PositiveInfinity);
        int chosen = 0;
        for (int c = 0; c < Centroids; c++)
        {
            Place(centroids, c, order[chosen]);
            Approach(columns, nearest, chosen);
            double sum = 0;
            foreach (double distance in nearest)
                sum += distance;

            // Once all points of the sample are chosen, choose them again in order.
            chosen = sum == 0 ? (c + 1) % order.Length : Draw(nearest, sum, ref random);
        }
    }

    /// <summary>Stores points by component, so that vectors compute their distances to one point.</summary>
    private ReadOnlySpan<float> ColumnsOf(ReadOnlySpan<int> order)
    {
        Span<float> columns = _columns.AsSpan(0, _dimension * order.Length);
        for (int i = 0; i < order.Length; i++)
        {
            for (int k = 0; k < _dimension; k++)
                columns[(k * order.Length) + i] = _points[(order[i] * (nint)_dimension) + k];
        }

        return columns;
    }

    /// <summary>Lowers the distance of each point to that of the chosen one, where it is nearer.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Approach(ReadOnlySpan<float> columns, Span<double> nearest, int chosen)
    {
        int count = nearest.Length, i = 0;
        for (; i <= count - Vector<float>.Count; i += Vector<float>.Count)
        {
            Vector<double> low = default, high = default;
            for (int at = 0; at < columns.Length; at += count)
            {
                Vector.Widen(
                    new Vector<float>(columns[(at + i)..]) - Vector.Create(columns[at + chosen]), out Vector<double> a,
                    out Vector<double> b);
                low += a * a;
                high += b * b;
            }

            Vector.Min(new Vector<double>(nearest[i..]), low).CopyTo(nearest[i..]);
            Vector.Min(new Vector<double>(nearest[(i + Vector<double>.Count)..]), high).CopyTo(nearest[(i + Vector<double>.Count)..]);
        }

        for (; i < count; i++)
        {
            double sum = 0;
            for (int at = 0; at < columns.Length; at += count)
            {
                double difference = columns[at + i] - columns[at + chosen];
                sum += difference * difference;
            }

            nearest[i] = Math.Min(nearest[i], sum);
        }
    }

    /// <summary>Returns distinct points in random order.</summary>
    private ReadOnlySpan<int> Shuffled(int count, ref SplitMix64 random)
    {
        int[] order = _order;
        for (int i = 0; i < _count; i++)
            order[i] = i;
        for (int i = 0; i < count; i++)
        {
            int other = i + random.Next(_count - i);
            (order[i], order[other]) = (order[other], order[i]);
        }

        return order.AsSpan(0, count);
    }

    private static int Draw(ReadOnlySpan<double> weights, double sum, ref SplitMix64 random)
    {
        double left = (random.Next() >> 11) * (1.0 / (1UL << 53)) * sum;
        int last = 0;
        for (int i = 0; i < weights.Length; i++)
        {
            if (weights[i] == 0)
                continue;
            last = i;
            left -= weights[i];
            if (left < 0)
                break;
        }

        return last;
    }

    private void Assign(ReadOnlySpan<float> centroids)
    {
        fixed (float* points = _points, table = centroids, halfNorms = _halfNorms)
        {
            fixed (byte* assigned = _assigned)
            {
                CentroidSearch.HalfNorms(table, _dimension, halfNorms);
                CentroidSearch.Nearest(points, _count, _dimension, table, halfNorms, assigned, 1);
            }
        }
    }

    private bool MoveToMeans(Span<float> centroids)
    {
        _sums.AsSpan(0, _dimension * Centroids).Clear();
        Array.Clear(_members);
        ReadOnlySpan<float> point = _points;
        for (int i = 0; i < _count; i++, point = point[_dimension..])
        {
            int c = _assigned[i];
            _members[c]++;
            for (int k = 0; k < _dimension; k++)
                _sums[(c * _dimension) + k] += point[k];
        }

        bool moved = false;
        for (int c = 0; c < Centroids; c++)
        {
            for (int k = 0; k < _dimension && _members[c] > 0; k++)
            {
                float mean = (float)(_sums[(c * _dimension) + k] / _members[c]);
                moved |= mean != centroids[(k * Centroids) + c];
                centroids[(k * Centroids) + c] = mean;
            }
        }

        return moved;
    }

    /// <summary>Moves each centroid without points to one of the points farthest from their centroids.</summary>
    private bool ReseedEmpty(Span<float> centroids)
    {
        int empty = _members.AsSpan().Count(0);
        if (empty == 0)
            return false;
        var farthest = new PriorityQueue<int, (double Error, int Order)>(empty + 1);
        for (int i = 0; i < _count; i++)
        {
            double error = Error(centroids, i);
            if (error == 0)
                continue;
            if (farthest.Count < empty)
                farthest.Enqueue(i, (error, -i));
            else
                farthest.EnqueueDequeue(i, (error, -i));
        }

        bool reseeded = farthest.Count > 0;
        for (int c = 0; c < Centroids && farthest.Count > 0; c++)
        {
            if (_members[c] == 0)
                Place(centroids, c, farthest.Dequeue());
        }

        return reseeded;
    }

    private double Error(ReadOnlySpan<float> centroids, int point)
    {
        double error = 0;
        for (int k = 0; k < _dimension; k++)
        {
            double difference = _points[(point * (nint)_dimension) + k] - centroids[(k * Centroids) + _assigned[point]];
            error += difference * difference;
        }

        return error;
    }

    private void Place(Span<float> centroids, int centroid, int point)
    {
        for (int k = 0; k < _dimension; k++)
            centroids[(k * Centroids) + centroid] = _points[(point * (nint)_dimension) + k];
    }
}
