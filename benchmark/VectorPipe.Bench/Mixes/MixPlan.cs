using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Mixes;

/// <summary>The operations of a run.</summary>
/// <param name="Base">Vectors of upserts, and of searches without queries: that of a key is the row of its number.</param>
/// <param name="Queries">The queries; null for vectors of the base.</param>
/// <param name="Validate">Whether to check that every search finds k records, nearest first.</param>
/// <param name="Rate">Operations per second of all threads together; null for no pace.</param>
internal sealed record MixPlan(
    Mix Mix, MixKeys Keys, VectorMatrix Base, VectorMatrix? Queries, int K, SearchOptions Options, bool Validate, double? Rate, ulong Seed);
