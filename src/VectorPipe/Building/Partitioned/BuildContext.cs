using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Partitioned;

/// <summary>What every step of a partitioned build reads and none writes.</summary>
/// <param name="Map">The leaves.</param>
/// <param name="Levels">Samples of the points.</param>
/// <param name="Table">The vectors by position.</param>
/// <param name="Entry">Position of the entry point.</param>
/// <param name="Options">How to go about the work.</param>
/// <param name="Parameters">Degree, alpha, threads, seed.</param>
/// <param name="Paging">Where vectors and links are paged; null if they are in memory.</param>
/// <param name="Progress">Told where the build stands; may be null.</param>
/// <param name="Effort">Adds up the distances computed.</param>
/// <param name="CancellationToken">Observed within a second at any point.</param>
internal sealed record BuildContext(
    LeafMap Map,
    SampleLevels Levels,
    VectorTable Table,
    int Entry,
    PartitionedOptions Options,
    GraphParameters Parameters,
    PagedMemory? Paging,
    IProgress<GraphProgress>? Progress,
    Effort Effort,
    CancellationToken CancellationToken)
{
    /// <summary>How many points.</summary>
    public int Count => Map.Points.Length;

    /// <summary>The vectors by position, for the kernels.</summary>
    public PanelRows Vectors => Table.Rows;

    /// <summary>Alpha of all prunings behind the leaf phase.</summary>
    public float RefineAlpha => Parameters.Alpha + Options.RefineAlphaExtra;

    /// <summary>Rents a lease for a thread.</summary>
    public PageLease Rent() => PageLease.Rent(Paging);
}
