using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>Half of the vectors are copies of a few originals; the most frequent copy is a ninth of all vectors.</summary>
/// <param name="distribution">The distribution of the originals and of the other half.</param>
internal sealed class DuplicateVectors(IVectorDistribution distribution, ulong originalSeed) : IVectorDistribution
{
    public const int Originals = 50;

    // The number of copies is in proportion to 1 / rank.
    private readonly ZipfKeys _ranks = new(Originals, 1);

    public bool MayBeShifted => distribution.MayBeShifted;

    public void Draw(ulong seed, Span<float> components)
    {
        var random = new SplitMix64(seed);
        bool isCopy = random.Next(2) == 0;
        distribution.Draw(isCopy ? originalSeed + (ulong)_ranks.NextRank(ref random) : random.Next(), components);
    }
}
