using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Gets;

/// <summary>Which of the keys 0 .. n - 1 is asked for next. Immutable; threads share it and bring their own random numbers.</summary>
internal interface IKeyDistribution
{
    /// <summary>The next key.</summary>
    ulong Next(ref SplitMix64 random);
}
