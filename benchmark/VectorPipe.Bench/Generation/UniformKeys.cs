using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>All keys are equally frequent.</summary>
internal sealed class UniformKeys(long count) : IKeyDistribution
{
    public ulong Next(ref SplitMix64 random) => Math.BigMul(random.Next(), (ulong)count, out _);
}
