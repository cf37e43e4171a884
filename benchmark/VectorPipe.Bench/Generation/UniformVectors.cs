using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>Every component is uniform from -1 to 1, on its own: no structure that a graph could use.</summary>
internal sealed class UniformVectors : IVectorDistribution
{
    /// <inheritdoc/>
    public bool MayBeShifted => true;

    /// <inheritdoc/>
    public void Draw(ulong seed, Span<float> components)
    {
        var random = new SplitMix64(seed);
        foreach (ref float component in components)
            component = ((random.Next() >> 40) * (1f / (1 << 23))) - 1f;
    }
}
