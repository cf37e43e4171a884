using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>Independent uniform components from -1 to 1: a graph finds no structure in them.</summary>
internal sealed class UniformVectors : IVectorDistribution
{
    public bool MayBeShifted => true;

    public void Draw(ulong seed, Span<float> components)
    {
        var random = new SplitMix64(seed);
        foreach (ref float component in components)
            component = ((random.Next() >> 40) * (1f / (1 << 23))) - 1f;
    }
}
