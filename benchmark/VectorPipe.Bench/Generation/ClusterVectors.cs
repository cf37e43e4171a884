using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>Gaussian clusters around Gaussian centres.</summary>
internal sealed class ClusterVectors : IVectorDistribution
{
    public const int Count = 100;

    // Standard deviation of a component over all clusters.
    private const double Spread = 1.0 / 3;

    private readonly float[] _centres;
    private readonly int _dimension;
    private readonly float _sigma;

    /// <param name="centreSpread">Standard deviation of the centres, relative to that of the vectors around them; above 0.</param>
    public ClusterVectors(int dimension, double centreSpread, ulong seed)
    {
        _dimension = dimension;
        _sigma = (float)(Spread / Math.Sqrt(1 + (centreSpread * centreSpread)));
        _centres = new float[Count * dimension];
        var random = new GaussianRandom(seed);
        foreach (ref float component in _centres.AsSpan())
            component = (float)(centreSpread * _sigma) * random.Next();
    }

    public bool MayBeShifted => true;

    public void Draw(ulong seed, Span<float> components)
    {
        var choice = new SplitMix64(seed);
        ReadOnlySpan<float> centre = _centres.AsSpan(choice.Next(Count) * _dimension, _dimension);
        var random = new GaussianRandom(choice.Next());
        for (int i = 0; i < components.Length; i++)
            components[i] = centre[i] + (_sigma * random.Next());
    }
}
