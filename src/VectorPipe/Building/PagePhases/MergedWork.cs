using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Partitioned;

namespace VectorPipe.Building.PagePhases;

/// <summary>What the phases of an index of the merged layout hand on to each other.</summary>
/// <param name="form">What the files hold of the vectors.</param>
/// <param name="parameters">Degree, list size, alpha, seed.</param>
/// <param name="options">How to go about the graph.</param>
internal sealed class MergedWork(IndexFileSet form, GraphParameters parameters, PartitionedOptions options) : GraphWork(parameters, options)
{
    /// <summary>What the files hold of the vectors.</summary>
    public IndexFileSet Form { get; set; } = form;

    /// <summary>Internal id to row.</summary>
    public int[] PageOrder { get; set; } = [];

    /// <summary>Writes the files, once pages are written.</summary>
    public MergedFilesWriter? Writer { get; set; }

    /// <inheritdoc/>
    public override void Release()
    {
        PageOrder = [];
        Writer = null;
        base.Release();
    }
}
