namespace VectorPipe;

/// <summary>The distance between two vectors.</summary>
/// <remarks>
/// <para>The numeric values are part of the file format.</para>
/// <para>
/// Inside the library a <em>distance</em> is always smaller for nearer vectors: |a-b|² for <see cref="L2"/>, -a·b for
/// <see cref="InnerProduct"/>, 1 - cos(a,b) for <see cref="Cosine"/>. A <em>score</em>, which users see, is in the metric's own
/// scale, see each member.
/// </para>
/// </remarks>
public enum DistanceMetric
{
    /// <summary>Squared Euclidean distance, |a-b|². Score: the same number, 0 or more, smaller is nearer.</summary>
    L2 = 1,

    /// <summary>Inner product a·b. Score: the inner product, larger is nearer. Vectors need not be normalised.</summary>
    InnerProduct = 2,

    /// <summary>Cosine of the angle, a·b / (|a||b|). Score: the cosine, -1 to 1, larger is nearer. Zero vectors are refused.</summary>
    Cosine = 3,
}
