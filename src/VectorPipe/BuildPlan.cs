using VectorPipe.Numerics;

namespace VectorPipe;

/// <summary>What a build will take and how it will go about it, computed from the shape of the data before anything is read; see <see cref="VectorIndexBuilder.Plan"/>. Immutable.</summary>
/// <remarks>Memory was within a few per cent of these figures in what was measured; bytes read and written are about right; seconds are those of one machine of two processors and an SSD, and say which phases will take long rather than how long.</remarks>
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

    /// <summary>The least <see cref="BuildOptions.MemoryBudget"/> in bytes with which these vectors can be built (by <see cref="GraphAlgorithm.Partitioned"/>), on one thread; every larger one will do as well.</summary>
    public required long LeastMemoryBudget { get; init; }

    /// <summary>Worker threads: <see cref="BuildOptions.Threads"/>, or as many as the budget has room for.</summary>
    public required int Threads { get; init; }

    /// <summary>Bytes of memory that the build takes at most, above what the process holds when it begins.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>Most bytes of scratch files at a time, in the index directory, besides the index; a build that finds less room ends before it reads a vector. Without a budget 0, and of an index of lists its shuffled rows.</summary>
    public required long ScratchBytes { get; init; }

    /// <summary>Bytes of the index, at most: the room that is reserved for it when the build begins.</summary>
    public required long IndexBytes { get; init; }

    /// <summary>Seconds that the build takes, about.</summary>
    public required double EstimatedSeconds { get; init; }

    /// <summary>The phases, in order; a name may come twice.</summary>
    public required IReadOnlyList<BuildPlanPhase> Phases { get; init; }

    /// <summary>How the work is divided; null with <see cref="GraphAlgorithm.Vamana"/>, which does not divide it.</summary>
    public required BuildPlanPartitions? Partitions { get; init; }
}
