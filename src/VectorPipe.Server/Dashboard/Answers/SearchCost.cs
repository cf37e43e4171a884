namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>What a search cost. Times are microseconds.</summary>
internal sealed record SearchCost
{
    public required double Us { get; init; }

    /// <summary>Part of it: waiting for its turn.</summary>
    public required double QueueUs { get; init; }

    /// <summary>Part of it: computing.</summary>
    public required double ComputeUs { get; init; }

    /// <summary>Part of it: waiting for reads and the thread.</summary>
    public required double WaitUs { get; init; }

    public required int Reads { get; init; }

    public required long BytesRead { get; init; }

    /// <summary>Pages found in the cache.</summary>
    public required int CacheHits { get; init; }

    /// <summary>Elements whose links were followed.</summary>
    public required int Hops { get; init; }

    public required int CodeDistances { get; init; }

    public required int VectorDistances { get; init; }

    /// <summary>How the recall is known: calibrated, estimated, exact.</summary>
    public required RecallBasis Basis { get; init; }

    public required SearchEnd EndedBy { get; init; }

    public static SearchCost Of(SearchStatistics cost) => new()
    {
        Us = cost.ElapsedUs,
        QueueUs = cost.QueueUs,
        ComputeUs = cost.CpuUs,
        WaitUs = cost.IoUs,
        Reads = cost.Reads,
        BytesRead = cost.BytesRead,
        CacheHits = cost.CacheHits,
        Hops = cost.Hops,
        CodeDistances = cost.CodeDistances,
        VectorDistances = cost.ExactDistances,
        Basis = cost.RecallBasis,
        EndedBy = cost.EndedBy,
    };
}
