using VectorPipe.Building.Graphs;
using VectorPipe.Building.Phases;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Building;

/// <summary>The input of a build.</summary>
internal sealed record BuildRequest(BuildOptions Options, VectorSource Source, VectorMemory Split, GenerationWriter Generations)
{
    public required KeyDirectoryOptions Keys { get; init; }

    /// <summary>Most queries of the calibration.</summary>
    public required int CalibrationQueries { get; init; }

    /// <summary>Builds the graph; null for the partitioned build.</summary>
    public IGraphBuilder? GraphBuilder { get; init; }

    public bool IsPaged => Options.MemoryBudget is not null;

    public BuildSize Size => new(Options.Metric, Source.ElementType, Source.Dimension, Source.Count);
}
