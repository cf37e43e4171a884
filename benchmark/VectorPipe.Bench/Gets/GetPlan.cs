namespace VectorPipe.Bench.Gets;

/// <summary>How one thread looks keys up.</summary>
/// <param name="BatchSize">Keys of a look-up.</param>
/// <param name="Keys">Which keys.</param>
/// <param name="Validate">Whether every vector is compared with what its key says.</param>
/// <param name="Rate">Look-ups of single keys a second of all threads together; null for as many as complete.</param>
/// <param name="Seed">Seed of the order of the keys.</param>
internal sealed record GetPlan(int BatchSize, IKeyDistribution Keys, bool Validate, double? Rate, ulong Seed);
