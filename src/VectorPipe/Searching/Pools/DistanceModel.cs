namespace VectorPipe.Searching.Pools;

/// <summary>How a query's exact distances follow from its code distances: a line, and the deviation from it.</summary>
/// <param name="Slope">Exact distance for a unit of code distance, both after <paramref name="Shift"/>; above 0.</param>
/// <param name="Spread">Standard deviation of the exact distance from the line, in units of the square root of the exact distance plus
/// <paramref name="Shift"/>; above 0.</param>
/// <param name="Shift">Makes exact distances positive, so that they have ratios. Under the inner product it is half the sum of the squared
/// norms of the query and of the longest vector: sums are half the squared distances of the augmented space (Bachrach et al. 2014). 0 for
/// other metrics.</param>
internal readonly record struct DistanceModel(float Slope, float Spread, float Shift)
{
    /// <summary>The exact distance that a code distance makes one expect.</summary>
    public float Expected(float codeDistance) => Slope * (codeDistance + Shift) - Shift;

    /// <summary>The standard deviation of an exact distance from the expected one.</summary>
    public float Deviation(float expected) => Spread * MathF.Sqrt(MathF.Max(expected + Shift, 0));

    /// <summary>Whether a distance is at most a factor times another; always if the factor is infinite.</summary>
    /// <remarks>Negative distances, mostly of an inner product without calibration, have no ratio: they are always within.</remarks>
    public bool IsWithin(float distance, float factor, float other) =>
        float.IsPositiveInfinity(factor) || distance + Shift <= factor * MathF.Max(other + Shift, 0);
}
