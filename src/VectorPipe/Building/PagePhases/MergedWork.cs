using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Partitioned;

namespace VectorPipe.Building.PagePhases;

/// <summary>State that the phases of a graph index hand on to each other.</summary>
internal sealed class MergedWork(IndexFileSet form, GraphParameters parameters, PartitionedOptions options) : GraphWork(parameters, options)
{
    public IndexFileSet Form { get; set; } = form;

    /// <summary>The row of each position.</summary>
    public int[] PageOrder { get; set; } = [];

    /// <summary>Writes the key directory after the pages.</summary>
    public MergedFilesWriter? Writer { get; set; }

    public override void Release()
    {
        PageOrder = [];
        Writer = null;
        base.Release();
    }
}
