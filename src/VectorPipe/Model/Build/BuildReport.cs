namespace VectorPipe;

/// <summary>The result and the cost of a build or an import.</summary>
public sealed record BuildReport
{
    /// <summary>Vectors indexed.</summary>
    public required long Points { get; init; }

    /// <summary>Components of a vector.</summary>
    public required int Dimension { get; init; }

    /// <summary>Mean out-degree of the graph; 0 for an index of lists.</summary>
    public required double MeanDegree { get; init; }

    /// <summary>
    /// Nodes of the graph, before it is put into pages, that can be reached from the entry point: all of them. 0 for an import, which does
    /// not walk the graph.
    /// </summary>
    public required long Reachable { get; init; }

    /// <summary>Nodes that were not reachable before the builder linked them in.</summary>
    public required long Repaired { get; init; }

    /// <summary>
    /// Share of a sample of the nodes, at most 20,000, that a search for their own vector finds in the finished graph, or an equal vector,
    /// with list size 10 and exact
    /// distances; 0 to 1. Below 0.995 the graph has regions that searches do not get to, and the build logs a warning. 1 for an index of
    /// lists and an import, which are not searched when they are built.
    /// </summary>
    public required double FoundThemselves { get; init; }

    /// <summary>Bytes of all files of the index.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>
    /// Bytes of paged tables that a build under a memory budget read back from its scratch files; 0 without a budget. Of an index of lists:
    /// bytes of shuffled rows.
    /// </summary>
    public required long ScratchBytesRead { get; init; }

    /// <summary>
    /// Bytes of paged tables that a build under a memory budget wrote to its scratch files; 0 without a budget. Of an index of lists: bytes
    /// of shuffled rows.
    /// </summary>
    public required long ScratchBytesWritten { get; init; }

    /// <summary>Time the build took.</summary>
    public required double WallSeconds { get; init; }

    /// <summary>Processor time of the process meanwhile.</summary>
    public required double CpuSeconds { get; init; }

    /// <summary>The phases, in order.</summary>
    public required IReadOnlyList<BuildPhase> Phases { get; init; }

    /// <summary>Sentences about the result that a user should read. Default: none.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}
