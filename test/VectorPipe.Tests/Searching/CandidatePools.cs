using VectorPipe.Searching.Pools;

namespace VectorPipe.Tests.Searching;

/// <summary>Adds single candidates, as test cases need them; a walk adds them in batches.</summary>
internal static class CandidatePools
{
    public static void Insert(this CandidatePool pool, float distance, uint id, CandidateState state) =>
        pool.Merge([CandidateKey.Of(distance, id)], [state]);
}
