using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Reference.Plain;

/// <summary>The state that the phases of a plain index share.</summary>
internal sealed class PlainWork(NodeLayout layout, GraphParameters parameters, PartitionedOptions options) : GraphWork(parameters, options)
{
    public NodeLayout Layout => layout;

    /// <summary>Internal id to row.</summary>
    public int[] PageOrder { get; set; } = [];
}
