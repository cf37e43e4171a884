using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Gets;

/// <summary>Every key equally often.</summary>
/// <param name="count">Keys; 1 or more.</param>
internal sealed class UniformKeys(long count) : IKeyDistribution
{
    /// <inheritdoc/>
    public ulong Next(ref SplitMix64 random) => Math.BigMul(random.Next(), (ulong)count, out _);
}
