using VectorPipe.Bench.Generation;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Mixes;

/// <summary>The keys of operations: of a fixed set, or the newest of a growing one. Thread-safe.</summary>
internal sealed class MixKeys
{
    private readonly IKeyDistribution? _fixed;
    private readonly ZipfKeys? _ages;
    private long _count;

    /// <param name="distribution">uniform, zipf, or latest: upserts insert new keys, and newer keys are chosen more often.</param>
    /// <param name="count">Keys at the start: 0 .. count - 1.</param>
    public MixKeys(string distribution, long count, double theta)
    {
        _count = count;
        _fixed = distribution switch
        {
            "uniform" => new UniformKeys(count),
            "zipf" => new ZipfKeys(count, theta),
            _ => null,
        };
        _ages = _fixed is null ? new ZipfKeys(count, theta) : null;
    }

    /// <summary>The key of a search or a deletion.</summary>
    public ulong Next(ref SplitMix64 random) =>
        _fixed?.Next(ref random) ?? (ulong)(Volatile.Read(ref _count) - _ages!.NextRank(ref random));

    /// <summary>The key of an upsert.</summary>
    public ulong NextToWrite(ref SplitMix64 random) =>
        _fixed?.Next(ref random) ?? (ulong)(Interlocked.Increment(ref _count) - 1);
}
