using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Mixes;

/// <summary>The operations of a run.</summary>
/// <param name="Base">Vectors of upserts, and of searches without queries: that of a key is the row of its number.</param>
/// <param name="Queries">The queries; null for vectors of the base.</param>
/// <param name="Validate">Whether to check that every search finds k records, nearest first.</param>
/// <param name="Rate">Operations per second of all threads together; null for no pace.</param>
internal sealed record MixPlan(
    Mix Mix, MixKeys Keys, VectorMatrix Base, VectorMatrix? Queries, int K, SearchOptions Options, bool Validate, double? Rate, ulong Seed)
{
    /// <summary>What a caller of a paced run does: one kind of operation, so that none of another kind delays it.</summary>
    /// <param name="thread">Number of the caller.</param>
    /// <param name="threads">Callers in all.</param>
    /// <returns>
    /// The kind, the number of the caller among those of the kind, and how many they are; no kind where callers are too few.
    /// </returns>
    public (MixKind? Kind, int Thread, int Threads) RoleOf(int thread, int threads)
    {
        MixKind[] kinds = [.. Mix.Kinds];
        if (threads < kinds.Length)
            return (null, thread, threads);

        // One for each kind; the others go to the kind with the most operations a caller.
        int[] callers = [.. kinds.Select(_ => 1)];
        for (int left = threads - kinds.Length; left > 0; left--)
            callers[Enumerable.Range(0, kinds.Length).MaxBy(kind => Mix[kinds[kind]] / callers[kind])]++;
        int at = 0;
        while (thread >= callers[at])
            thread -= callers[at++];
        return (kinds[at], thread, callers[at]);
    }
}
