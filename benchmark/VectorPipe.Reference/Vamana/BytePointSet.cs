using VectorPipe.Numerics.Distances;

namespace VectorPipe.Reference.Vamana;

/// <summary>Points of 8-bit components: the original rows, and a number per point for the build distance.</summary>
/// <remarks>Thread-safe until disposed.</remarks>
internal sealed unsafe class BytePointSet : PointSet
{
    private readonly PointRows _rows;
    private readonly bool _signed;

    // L2: empty. Cosine: |x|². Inner product: the extra component sqrt(M² - |x|²).
    private readonly float[] _aux;

    /// <param name="rows">Owned by the new object.</param>
    /// <exception cref="VectorPipeException">A vector is zero under cosine.</exception>
    public BytePointSet(PointRows rows)
    {
        _rows = rows;
        _signed = rows.Type == VectorElementType.Int8;
        _aux = rows.Metric switch
        {
            DistanceMetric.L2 => [],
            DistanceMetric.Cosine => SquaredNorms(),
            _ => ExtraComponents(SquaredNorms()),
        };

        if (rows.Metric == DistanceMetric.Cosine && Array.IndexOf(_aux, 0f) is >= 0 and int zero)
            throw new VectorPipeException($"Expected vectors that are not zero under cosine, found a zero vector at {zero}.");
    }

    public override PointRows Rows => _rows;

    public override ReadOnlySpan<float> Auxiliary => _aux;

    public override void Distances(int point, ReadOnlySpan<int> others, Span<float> distances)
    {
        if (_rows.Metric == DistanceMetric.Cosine)
        {
            if (_signed)
                RowKernels.Compute<RowKernels.Int8Dot>(_rows, point, others, distances);
            else
                RowKernels.Compute<RowKernels.UInt8Dot>(_rows, point, others, distances);
            DotsToChords(point, others, distances);
            return;
        }

        if (_signed)
            RowKernels.Compute<RowKernels.Int8SquaredL2>(_rows, point, others, distances);
        else
            RowKernels.Compute<RowKernels.UInt8SquaredL2>(_rows, point, others, distances);
        if (_rows.Metric == DistanceMetric.InnerProduct)
            AddExtraComponent(point, others, distances);
    }

    public override void Dispose() => _rows.Dispose();

    private float[] SquaredNorms()
    {
        float[] norms = new float[_rows.Count];
        for (int i = 0; i < norms.Length; i++)
        {
            byte* row = _rows.Row(i);
            norms[i] = _signed
                ? DistanceKernels.Dot((sbyte*)row, (sbyte*)row, _rows.Dimension)
                : DistanceKernels.Dot(row, row, _rows.Dimension);
        }

        return norms;
    }

    private static float[] ExtraComponents(float[] squaredNorms)
    {
        float largest = squaredNorms.Max();
        return Array.ConvertAll(squaredNorms, norm => MathF.Sqrt(largest - norm));
    }

    // |a/|a| - b/|b||² = 2 - 2 a·b / (|a||b|). The root of the product, unlike the product of roots, is exact for equal vectors.
    private void DotsToChords(int point, ReadOnlySpan<int> others, Span<float> distances)
    {
        double squaredNorm = _aux[point];
        for (int i = 0; i < others.Length; i++)
            distances[i] = (float)Math.Max(0, 2 - 2 * (distances[i] / Math.Sqrt(squaredNorm * _aux[others[i]])));
    }

    private void AddExtraComponent(int point, ReadOnlySpan<int> others, Span<float> distances)
    {
        float extra = _aux[point];
        for (int i = 0; i < others.Length; i++)
        {
            float difference = extra - _aux[others[i]];
            distances[i] += difference * difference;
        }
    }
}
