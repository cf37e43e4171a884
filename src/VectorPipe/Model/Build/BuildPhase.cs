namespace VectorPipe;

/// <summary>A phase of a build or an import: its planned cost and its measured cost.</summary>
/// <remarks>A plan leaves the measured times 0; an import plans nothing, and leaves the planned figures 0.</remarks>
public sealed record BuildPhase
{
    /// <summary>Name of the phase; one name may come twice in a build.</summary>
    public required string Name { get; init; }

    /// <summary>Most bytes of memory of the phase, above what the process holds before the build.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>Most bytes of scratch files at a time.</summary>
    public long ScratchBytes { get; init; }

    /// <summary>Estimated seconds on a machine of two processors: rough.</summary>
    public double EstimatedSeconds { get; init; }

    /// <summary>Seconds that the phase took.</summary>
    public double WallSeconds { get; init; }

    /// <summary>Processor seconds of the whole process during the phase.</summary>
    public double CpuSeconds { get; init; }
}
