namespace VectorPipe.Quantization;

/// <summary>k-means with 256 centroids over one chunk's components: Lloyd's iterations from random samples.</summary>
/// <remarks>One instance a chunk and thread. The outcome depends on the points, the seed and the number of iterations alone.</remarks>
internal sealed unsafe class CodebookTrainer
{
    private const int Centroids = CentroidSearch.Centroids;

    private readonly float[] _points;
    private readonly int _count;
    private readonly int _dimension;
    private readonly byte[] _assigned;
    private readonly float[] _halfNorms = new float[Centroids];
    private readonly double[] _sums;
    private readonly int[] _members = new int[Centroids];

    /// <param name="points">count x dimension floats.</param>
    /// <param name="count">Points; 1 or more.</param>
    /// <param name="dimension">Components of a point; 1 or more.</param>
    public CodebookTrainer(float[] points, int count, int dimension)
    {
        _points = points;
        _count = count;
        _dimension = dimension;
        _assigned = new byte[count];
        _sums = new double[dimension * Centroids];
    }

    /// <summary>Finds the centroids.</summary>
    /// <param name="centroids">Receives dimension x 256 floats. With fewer distinct points than that, some centroids are equal.</param>
    /// <param name="iterations">Lloyd's iterations at most; they end when no centroid moves.</param>
    /// <param name="seed">Chooses the first centroids.</param>
    /// <param name="cancellationToken">Looked at before each iteration.</param>
    public void Train(Span<float> centroids, int iterations, ulong seed, CancellationToken cancellationToken)
    {
        ChooseSamples(centroids, seed);
        for (int iteration = 0; iteration < iterations; iteration++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Assign(centroids);
            bool moved = MoveToMeans(centroids);
            if (!ReseedEmpty(centroids) && !moved)
                return;
        }
    }

    /// <summary>256 different samples, or all of them again and again when there are fewer.</summary>
    private void ChooseSamples(Span<float> centroids, ulong seed)
    {
        var random = new SplitMix64(seed);
        var order = new int[_count];
        for (int i = 0; i < _count; i++)
            order[i] = i;
        for (int c = 0; c < Centroids; c++)
        {
            int place = c % _count;
            if (c < _count)
            {
                int other = place + random.Next(_count - place);
                (order[place], order[other]) = (order[other], order[place]);
            }

            Place(centroids, c, order[place]);
        }
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
        Array.Clear(_sums);
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

    /// <summary>Puts each centroid that no point chose onto the points that lie farthest from theirs, one each.</summary>
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
