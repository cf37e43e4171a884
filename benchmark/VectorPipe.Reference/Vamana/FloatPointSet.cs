namespace VectorPipe.Reference.Vamana;

/// <summary>Points of float32 components in the build space: original (L2), normalised (cosine), or extended (inner product).</summary>
/// <remarks>Thread-safe until disposed.</remarks>
internal sealed unsafe class FloatPointSet : PointSet
{
    // The squared distance of two points is at most four times their largest squared norm, and must be finite.
    private const double SquaredNormLimit = float.MaxValue / 4;

    private readonly PointRows _rows;

    /// <param name="rows">Owned by the new object, and rewritten in place.</param>
    /// <exception cref="VectorPipeException">A vector is zero under cosine, or not finite, or too large.</exception>
    public FloatPointSet(PointRows rows)
    {
        _rows = rows;
        double largest = 0;
        for (int i = 0; i < rows.Count; i++)
        {
            double squaredNorm = SquaredNorm(rows.FloatRow(i)[..rows.Dimension]);
            // NaN fails this comparison too.
            if (!(squaredNorm < SquaredNormLimit))
                throw new VectorPipeException(
                    $"Expected finite components and a squared norm below {SquaredNormLimit:E2}, found {squaredNorm} at vector {i}.");
            if (rows.Metric == DistanceMetric.Cosine)
                Normalise(rows.FloatRow(i), squaredNorm, i);
            largest = Math.Max(largest, squaredNorm);
        }

        if (rows.Metric == DistanceMetric.InnerProduct)
            AddExtraComponent(largest);
    }

    public override PointRows Rows => _rows;

    public override ReadOnlySpan<float> Auxiliary => [];

    public override void Distances(int point, ReadOnlySpan<int> others, Span<float> distances) =>
        RowKernels.Compute<RowKernels.FloatSquaredL2>(_rows, point, others, distances);

    public override void Dispose() => _rows.Dispose();

    private static double SquaredNorm(ReadOnlySpan<float> vector)
    {
        double sum = 0;
        foreach (float component in vector)
            sum += (double)component * component;
        return sum;
    }

    private static void Normalise(Span<float> vector, double squaredNorm, int row)
    {
        if (squaredNorm == 0)
            throw new VectorPipeException($"Expected vectors that are not zero under cosine, found a zero vector at {row}.");
        double scale = 1 / Math.Sqrt(squaredNorm);
        foreach (ref float component in vector)
            component = (float)(component * scale);
    }

    private void AddExtraComponent(double largestSquaredNorm)
    {
        for (int i = 0; i < _rows.Count; i++)
        {
            Span<float> row = _rows.FloatRow(i);
            row[^1] = (float)Math.Sqrt(Math.Max(0, largestSquaredNorm - SquaredNorm(row[..^1])));
        }
    }
}
