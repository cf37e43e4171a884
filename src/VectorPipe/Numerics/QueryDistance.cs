namespace VectorPipe.Numerics;

/// <summary>
/// Exact distances between one query and many stored vectors of one metric, element type and dimension. Holds the query in the
/// form its kernel wants (widened, with its norm), so that the per-vector work is the kernel alone.
/// </summary>
/// <remarks>Not thread-safe: one instance a query slot. Allocates only when created.</remarks>
internal abstract class QueryDistance
{
    /// <summary>Components of a vector.</summary>
    public abstract int Dimension { get; }

    /// <summary>Takes the query over; it is copied.</summary>
    /// <param name="query">The query's stored bytes: dimension x element size.</param>
    public abstract void SetQuery(ReadOnlySpan<byte> query);

    /// <summary>Distances (smaller is nearer, see <see cref="DistanceMetric"/>) to vectors that lie at a fixed stride.</summary>
    /// <param name="first">The first vector's first byte; no alignment is required.</param>
    /// <param name="strideBytes">Bytes from one vector to the next.</param>
    /// <param name="count">How many vectors.</param>
    /// <param name="distances">Receives <paramref name="count"/> distances.</param>
    public abstract unsafe void ComputeStrided(byte* first, nint strideBytes, int count, Span<float> distances);

    /// <summary>The distances' form that users see, in the metric's own scale.</summary>
    public static float ToScore(DistanceMetric metric, float distance) => metric switch
    {
        DistanceMetric.L2 => distance,
        DistanceMetric.InnerProduct => -distance,
        _ => 1f - distance,
    };
}
