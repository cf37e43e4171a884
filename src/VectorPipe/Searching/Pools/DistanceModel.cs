namespace VectorPipe.Searching.Pools;

/// <summary>What a code distance says about the exact distance: a factor, and how far off it is.</summary>
/// <param name="Slope">Exact distance a unit of code distance, both after <paramref name="Shift"/>; above 0.</param>
/// <param name="Spread">Standard deviation of the exact distance from the line, in units of the square root of the exact distance plus
/// <paramref name="Shift"/>; above 0.</param>
/// <param name="Shift">What is added to exact distances so that none is negative and their ratios mean something: under the inner product
/// half the sum of the query's squared norm and the largest of
/// the vectors', which makes them half the squared distances of the augmented space (Bachrach et al. 2014); 0 otherwise.</param>
internal readonly record struct DistanceModel(float Slope, float Spread, float Shift)
{
    /// <summary>The exact distance that is expected of a code distance.</summary>
    public float Expected(float codeDistance) => Slope * (codeDistance + Shift) - Shift;

    /// <summary>The standard deviation of an exact distance from what was expected.</summary>
    public float Deviation(float expected) => Spread * MathF.Sqrt(MathF.Max(expected + Shift, 0));

    /// <summary>Whether a distance is at most some factor times another; whatever they are, if the factor is infinite.</summary>
    /// <remarks>
    /// Distances that the shift leaves negative, those of an inner product above all if nothing was calibrated, have no ratio: they are all
    /// within.
    /// </remarks>
    public bool IsWithin(float distance, float factor, float other) =>
        float.IsPositiveInfinity(factor) || distance + Shift <= factor * MathF.Max(other + Shift, 0);
}
