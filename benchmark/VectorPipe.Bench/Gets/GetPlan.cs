using VectorPipe.Bench.Generation;

namespace VectorPipe.Bench.Gets;

/// <summary>The look-ups of a run.</summary>
/// <param name="BatchSize">Keys per look-up.</param>
/// <param name="Validate">Whether to compare every vector with the one of its key.</param>
/// <param name="Rate">Keys per second of all threads together; null for no pace.</param>
/// <param name="Seed">Seed of the order of the keys.</param>
internal sealed record GetPlan(int BatchSize, IKeyDistribution Keys, bool Validate, double? Rate, ulong Seed);
