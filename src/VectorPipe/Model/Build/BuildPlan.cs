namespace VectorPipe;

/// <summary>The cost of a build, computed from the shape of the data; see <see cref="VectorIndex.PlanBuild"/>. Immutable.</summary>
/// <remarks>Bytes of memory, scratch files and index are upper bounds. Seconds are rough: they tell long phases from short ones.</remarks>
public sealed record BuildPlan
{
    /// <summary>Vectors to index.</summary>
    public required long Points { get; init; }

    /// <summary>Components of a vector.</summary>
    public required int Dimension { get; init; }

    /// <summary>Type of a component.</summary>
    public required VectorElementType ElementType { get; init; }

    /// <summary><see cref="BuildOptions.MemoryBudget"/>; null for no bound.</summary>
    public required long? MemoryBudget { get; init; }

    /// <summary>The least <see cref="BuildOptions.MemoryBudget"/> for these vectors, in bytes, on one thread.</summary>
    public required long LeastMemoryBudget { get; init; }

    /// <summary>Worker threads: <see cref="BuildOptions.Threads"/>, or fewer under a small budget.</summary>
    public required int Threads { get; init; }

    /// <summary>Most bytes of memory that the build adds to those of the process.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>Most bytes of scratch files at a time, in the index directory, besides the index.</summary>
    /// <remarks>A build that finds less room on the disk ends before it reads a vector. A graph without a budget has no scratch.</remarks>
    public required long ScratchBytes { get; init; }

    /// <summary>Most bytes of the index; the build reserves them on the disk when it begins.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>Estimated seconds of the build: rough.</summary>
    public required double EstimatedSeconds { get; init; }

    /// <summary>The phases, in order; a name may come twice.</summary>
    public required IReadOnlyList<BuildPhase> Phases { get; init; }
}
