using VectorPipe.Searching.Pools;

namespace VectorPipe.Tests.Searching;

/// <summary>Candidates one by one, as cases are written; a walk takes them in by the dozen.</summary>
internal static class CandidatePools
{
    public static void Insert(this CandidatePool pool, float distance, uint id, CandidateState state) =>
        pool.Merge([CandidateKey.Of(distance, id)], [state]);
}
