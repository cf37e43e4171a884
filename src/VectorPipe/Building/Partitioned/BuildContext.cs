using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Partitioned;

/// <summary>The state of a partitioned build that all its steps read and none writes.</summary>
/// <remarks>Rows of the table and the entry are positions in leaf order. Without paging all tables are in memory.</remarks>
internal sealed record BuildContext(
    LeafMap Map, SampleLevels Levels, VectorTable Table, int Entry, PartitionedOptions Options, GraphParameters Parameters,
    PagedMemory? Paging, IProgress<GraphProgress>? Progress, Effort Effort, CancellationToken CancellationToken)
{
    /// <summary>Points.</summary>
    public int Count => Map.Points.Length;

    /// <summary>The vectors by position, for the kernels.</summary>
    public PanelRows Vectors => Table.Rows;

    /// <summary>Alpha of all prunings after the leaf phase.</summary>
    public float RefineAlpha => Parameters.Alpha + Options.RefineAlphaExtra;

    public PageLease Rent() => PageLease.Rent(Paging);
}
