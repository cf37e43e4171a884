using VectorPipe.Bench.Gets;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>
/// Half of the vectors are copies of few, in numbers that fall with the rank: the most copied one makes up a ninth of all vectors.
/// </summary>
/// <param name="distribution">Of originals and of the other half.</param>
/// <param name="originalSeed">Seed of the originals.</param>
internal sealed class DuplicateVectors(IVectorDistribution distribution, ulong originalSeed) : IVectorDistribution
{
    /// <summary>Vectors that are copied.</summary>
    public const int Originals = 50;

    // Copies in proportion to 1 / rank.
    private readonly ZipfKeys _ranks = new(Originals, 1);

    /// <inheritdoc/>
    public bool MayBeShifted => distribution.MayBeShifted;

    /// <inheritdoc/>
    public void Draw(ulong seed, Span<float> components)
    {
        var random = new SplitMix64(seed);
        bool isCopy = random.Next(2) == 0;
        distribution.Draw(isCopy ? originalSeed + (ulong)_ranks.NextRank(ref random) : random.Next(), components);
    }
}
