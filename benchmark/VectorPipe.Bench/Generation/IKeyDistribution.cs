using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>A distribution of the keys 0 .. n - 1. Immutable; threads share it.</summary>
internal interface IKeyDistribution
{
    ulong Next(ref SplitMix64 random);
}
