using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Numerics.Distances;

/// <summary>Exact distances between one query and many stored vectors of one metric, element type and dimension.</summary>
/// <remarks>
/// <para>Not thread-safe: one instance a query slot. Allocates only when created.</para>
/// <para>A distance depends only on the query and the vector, not on addresses or other vectors.</para>
/// <para>By cosine, a stored zero vector has distance 1. The caller refuses a zero query.</para>
/// </remarks>
internal abstract class QueryDistance
{
    /// <summary>Creates the distances of queries that have the type of the stored vectors.</summary>
    public static QueryDistance Create(DistanceMetric metric, VectorElementType type, int dimension) =>
        Create(metric, type, dimension, type);

    /// <summary>Creates the distances of one metric over one kind of stored vector.</summary>
    /// <param name="metric">The metric.</param>
    /// <param name="type">The type of a stored vector's component.</param>
    /// <param name="dimension">Components of a vector: 1 or more; for the 8-bit types at most 32,768, so that their sums fit in 32
    /// bits.</param>
    /// <param name="queryType">The type of a query's component: the same, or float32 for stored float16. A query is never rounded.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of its range.</exception>
    public static QueryDistance Create(DistanceMetric metric, VectorElementType type, int dimension, VectorElementType queryType)
    {
        if (metric is < DistanceMetric.L2 or > DistanceMetric.Cosine)
            throw new ArgumentOutOfRangeException(nameof(metric), metric, "Expected L2, InnerProduct or Cosine.");
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, 1);
        if (type.SizeInBytes() == 1)
            ArgumentOutOfRangeException.ThrowIfGreaterThan(dimension, 32_768);
        if (queryType != type && (queryType, type) is not (VectorElementType.Float32, VectorElementType.Float16))
            throw new ArgumentOutOfRangeException(
                nameof(queryType), queryType, $"Expected queries of {type}, or of Float32 for vectors of Float16.");
        return type switch
        {
            VectorElementType.Float32 => new FloatQueryDistance<float>(metric, dimension, queryType),
            VectorElementType.Float16 => new FloatQueryDistance<Half>(metric, dimension, queryType),
            VectorElementType.UInt8 => new IntegerQueryDistance<byte>(metric, dimension),
            _ => new IntegerQueryDistance<sbyte>(metric, dimension),
        };
    }

    /// <summary>Components of a vector.</summary>
    public abstract int Dimension { get; }

    /// <summary>Copies the query.</summary>
    /// <param name="query">The query's bytes: dimension x size of its elements.</param>
    /// <exception cref="ArgumentException">The query has another length.</exception>
    public abstract void SetQuery(ReadOnlySpan<byte> query);

    /// <summary>Computes distances (smaller is nearer, see <see cref="DistanceMetric"/>) to vectors at a fixed stride.</summary>
    /// <param name="first">The first vector's first byte; no alignment is required.</param>
    /// <param name="strideBytes">Bytes from one vector to the next.</param>
    /// <param name="count">The number of vectors.</param>
    /// <param name="distances">Receives <paramref name="count"/> distances.</param>
    public abstract unsafe void ComputeStrided(byte* first, nint strideBytes, int count, Span<float> distances);

    /// <summary>Converts a distance to the score that users see.</summary>
    public static float ToScore(DistanceMetric metric, float distance) => metric switch
    {
        DistanceMetric.L2 => distance,
        DistanceMetric.InnerProduct => -distance,
        _ => 1f - distance,
    };

    /// <summary>The distance of the farthest vector whose score is at least as good as one.</summary>
    /// <remarks>Scores are rounded: several distances have the same score, and the farthest of them counts.</remarks>
    public static float FarthestOf(DistanceMetric metric, float score)
    {
        if (metric != DistanceMetric.Cosine)
            return ToScore(metric, score);

        // Half-way to the next score, up to rounding.
        var distance = (float)(1 - (((double)score + MathF.BitDecrement(score)) / 2));
        while (1f - distance < score)
            distance = MathF.BitDecrement(distance);
        while (1f - MathF.BitIncrement(distance) >= score)
            distance = MathF.BitIncrement(distance);
        return distance;
    }

    protected static void CheckQueryLength(ReadOnlySpan<byte> query, int expectedBytes)
    {
        if (query.Length != expectedBytes)
            throw new ArgumentException($"Expected a query of {expectedBytes} bytes, found {query.Length}.", nameof(query));
    }
}
