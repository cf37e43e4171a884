namespace VectorPipe;

/// <summary>
/// What a build will take, computed from the shape of the data before anything is read; see <see cref="VectorIndexBuilder.Plan"/>.
/// Immutable.
/// </summary>
/// <remarks>Bytes of memory, scratch files and index are upper bounds. Seconds are rough: they say which phases will take long rather
/// than how long.</remarks>
public sealed record BuildPlan
{
    /// <summary>Vectors to index.</summary>
    public required long Points { get; init; }

    /// <summary>Components of a vector.</summary>
    public required int Dimension { get; init; }

    /// <summary>Type of a component.</summary>
    public required VectorElementType ElementType { get; init; }

    /// <summary><see cref="BuildOptions.MemoryBudget"/>: most bytes of memory that the build may take; null for no bound.</summary>
    public required long? MemoryBudget { get; init; }

    /// <summary>
    /// The least <see cref="BuildOptions.MemoryBudget"/> in bytes for these vectors, on one thread; every larger one will do as well.
    /// </summary>
    public required long LeastMemoryBudget { get; init; }

    /// <summary>Worker threads: <see cref="BuildOptions.Threads"/>, or as many as the budget has room for.</summary>
    public required int Threads { get; init; }

    /// <summary>Bytes of memory that the build takes at most, above what the process holds when it begins.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>Most bytes of scratch files at a time, in the index directory, besides the index.</summary>
    /// <remarks>A build that finds less room ends before it reads a vector. Without a budget a graph has none; an IVF index has its
    /// shuffled rows.</remarks>
    public required long ScratchBytes { get; init; }

    /// <summary>Bytes of the index, at most: the room that is reserved for it when the build begins.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>Seconds that the build takes, about.</summary>
    public required double EstimatedSeconds { get; init; }

    /// <summary>The phases, in order; a name may come twice.</summary>
    public required IReadOnlyList<BuildPhase> Phases { get; init; }
}
