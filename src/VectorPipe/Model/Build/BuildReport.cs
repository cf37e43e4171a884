namespace VectorPipe;

/// <summary>The result and the cost of a build or an import.</summary>
public sealed record BuildReport
{
    /// <summary>Vectors indexed.</summary>
    public required long Points { get; init; }

    /// <summary>Components of a vector.</summary>
    public required int Dimension { get; init; }

    /// <summary>Mean out-degree of the graph; 0 for IVF.</summary>
    public required double MeanDegree { get; init; }

    /// <summary>Nodes that can be reached from the entry point: all of them. 0 for an import, which does not walk the graph.</summary>
    public required long Reachable { get; init; }

    /// <summary>Nodes that were not reachable before the builder linked them in.</summary>
    public required long Repaired { get; init; }

    /// <summary>Share of nodes, 0 to 1, that a search for their own vector finds, in a sample of at most 20,000.</summary>
    /// <remarks>
    /// The search has list size 10 and exact distances; an equal vector counts as found. Below 0.995 some regions of the graph are hard to
    /// reach, and the build logs a warning. 1 for IVF and for an import, which do not search.
    /// </remarks>
    public required double FoundThemselves { get; init; }

    /// <summary>Bytes of all files of the index.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>Bytes read back from scratch files: shuffled rows, and paged tables of a build under a budget.</summary>
    public required long ScratchBytesRead { get; init; }

    /// <summary>Bytes written to scratch files: shuffled rows, and paged tables of a build under a budget.</summary>
    public required long ScratchBytesWritten { get; init; }

    /// <summary>Seconds that the build took.</summary>
    public required double WallSeconds { get; init; }

    /// <summary>Processor seconds of the process during the build.</summary>
    public required double CpuSeconds { get; init; }

    /// <summary>The phases, in order.</summary>
    public required IReadOnlyList<BuildPhase> Phases { get; init; }

    /// <summary>Sentences about the result that a user should read. Default: none.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}
