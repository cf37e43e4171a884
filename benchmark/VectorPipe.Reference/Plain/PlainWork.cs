using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Reference.Plain;

/// <summary>What the phases of an index of the plain layout hand on to each other.</summary>
/// <param name="layout">Where things lie in a page.</param>
/// <param name="parameters">Degree, list size, alpha, seed.</param>
/// <param name="options">How to go about the graph.</param>
internal sealed class PlainWork(NodeLayout layout, GraphParameters parameters, PartitionedOptions options) : GraphWork(parameters, options)
{
    /// <summary>Where things lie in a page.</summary>
    public NodeLayout Layout => layout;

    /// <summary>Internal id to row.</summary>
    public int[] PageOrder { get; set; } = [];
}
