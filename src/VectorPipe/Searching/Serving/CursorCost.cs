namespace VectorPipe.Searching.Serving;

/// <summary>The cost of a call of a cursor: that of its searches together.</summary>
internal static class CursorCost
{
    /// <summary>Adds the cost of a search to those before it in the same call.</summary>
    public static SearchStatistics Sum(SearchStatistics before, SearchStatistics search) => search with
    {
        Reads = before.Reads + search.Reads,
        PagesRead = before.PagesRead + search.PagesRead,
        BytesRead = before.BytesRead + search.BytesRead,
        Rounds = before.Rounds + search.Rounds,
        Hops = before.Hops + search.Hops,
        CacheHits = before.CacheHits + search.CacheHits,
        CodeDistances = before.CodeDistances + search.CodeDistances,
        ExactDistances = before.ExactDistances + search.ExactDistances,
        ElapsedUs = before.ElapsedUs + search.ElapsedUs,
        QueueUs = before.QueueUs + search.QueueUs,
        CpuUs = before.CpuUs + search.CpuUs,
    };

    /// <summary>What a call cost that gave a number of hits of those that were wanted.</summary>
    public static SearchStatistics Of(SearchStatistics searches, int hits, int wanted, SearchEnd endedBy) => searches with
    {
        Hits = hits,
        EndedBy = hits == wanted ? SearchEnd.Complete : endedBy,
    };
}
