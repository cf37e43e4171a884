using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>Directions of another distribution with log-normal lengths: inner products prefer long vectors to near ones.</summary>
internal sealed class NormVectors(IVectorDistribution directions) : IVectorDistribution
{
    // One vector in a thousand is at least 4.7 times as long as the median.
    private const double LogSigma = 0.5;

    // Root mean square of the components of a vector of median length.
    private const double MedianComponent = 0.125;

    /// <summary>False: a shift would determine the lengths.</summary>
    public bool MayBeShifted => false;

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
