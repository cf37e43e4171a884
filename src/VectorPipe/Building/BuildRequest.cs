using VectorPipe.Building.Graphs;
using VectorPipe.Building.Phases;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Building;

/// <summary>What is to be built.</summary>
/// <param name="Options">How; checked.</param>
/// <param name="Source">The vectors.</param>
/// <param name="Split">What a vector costs in memory at search time.</param>
/// <param name="Generations">Publishes.</param>
internal sealed record BuildRequest(BuildOptions Options, VectorSource Source, VectorMemory Split, GenerationWriter Generations)
{
    /// <summary>How the key directory is laid out.</summary>
    public required KeyDirectoryOptions Keys { get; init; }

    /// <summary>Queries that the index is calibrated with, at most.</summary>
    public required int CalibrationQueries { get; init; }

    /// <summary>Makes the graph; null for the way of the library.</summary>
    public IGraphBuilder? GraphBuilder { get; init; }

    /// <summary>Whether tables are paged.</summary>
    public bool IsPaged => Options.MemoryBudget is not null;

    /// <summary>The vectors, as far as memory and time follow from them.</summary>
    public BuildSize Size => new(Options.Metric, Source.ElementType, Source.Dimension, Source.Count);
}
