using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>Directions of a distribution, with lengths that are log-normal: what inner products prefer is long before it is near.</summary>
/// <param name="directions">Its vectors lend their directions.</param>
internal sealed class NormVectors(IVectorDistribution directions) : IVectorDistribution
{
    /// <summary>
    /// Standard deviation of the length's logarithm: one vector in a thousand is 4.7 times as long as the median, or longer.
    /// </summary>
    private const double LogSigma = 0.5;

    /// <summary>Root mean square of the components of a vector of median length.</summary>
    private const double MedianComponent = 0.125;

    /// <summary>False: the lengths would be those of the shift.</summary>
    public bool MayBeShifted => false;

    /// <inheritdoc/>
    public void Draw(ulong seed, Span<float> components)
    {
        var random = new SplitMix64(seed);
        directions.Draw(random.Next(), components);
        double norm = 0;
        foreach (float component in components)
            norm += (double)component * component;
        double length = MedianComponent * Math.Sqrt(components.Length) * Math.Exp(LogSigma * new GaussianRandom(random.Next()).Next());
        float factor = (float)(length / Math.Sqrt(Math.Max(norm, double.Epsilon)));
        foreach (ref float component in components)
            component *= factor;
    }
}
