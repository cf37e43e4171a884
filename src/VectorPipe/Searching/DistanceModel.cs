namespace VectorPipe.Searching;

/// <summary>What a code distance says about the exact distance: a straight line, and how far off it is.</summary>
/// <param name="Offset">Exact distance at code distance 0, on average.</param>
/// <param name="Slope">Exact distance gained a unit of code distance; above 0.</param>
/// <param name="Spread">Standard deviation of the exact distance from the line, in units of the square root of slope x (code distance plus <paramref name="Shift"/>); above 0. A code is off by
/// a little in every direction, so the error grows with the distance from the code, and the line may lie below it: a coarse code makes near vectors look farther than they are.</param>
/// <param name="Shift">What is added to exact distances so that none is negative and their ratios mean something: under the inner product half the sum of the query's squared norm and the largest of
/// the vectors', which makes them half the squared distances of the augmented space (Bachrach et al. 2014); 0 otherwise.</param>
internal readonly record struct DistanceModel(float Offset, float Slope, float Spread, float Shift)
{
    /// <summary>The exact distance that is expected of a code distance.</summary>
    public float Expected(float codeDistance) => Offset + Slope * codeDistance;

    /// <summary>The standard deviation of an exact distance from what was expected of its code distance.</summary>
    public float Deviation(float expected) => Spread * MathF.Sqrt(MathF.Max(expected - Offset + (Slope * Shift), 0));

    /// <summary>Whether a distance is at most some factor times another.</summary>
    public bool IsWithin(float distance, float factor, float other) => distance + Shift <= factor * (other + Shift);
}
