namespace VectorPipe.Building.Partitioned;

/// <summary>What every step of a partitioned build reads and none writes.</summary>
/// <param name="Map">The leaves.</param>
/// <param name="Store">The vectors by position.</param>
/// <param name="Entry">Position of the entry point.</param>
/// <param name="Options">How to go about the work.</param>
/// <param name="Parameters">Degree, alpha, threads, seed.</param>
/// <param name="Progress">Told where the build stands; may be null.</param>
/// <param name="Effort">Adds up the distances computed.</param>
/// <param name="CancellationToken">Observed within a second at any point.</param>
internal sealed record BuildContext(
    LeafMap Map,
    ILeafStore Store,
    int Entry,
    PartitionedOptions Options,
    GraphParameters Parameters,
    IProgress<GraphProgress>? Progress,
    Effort Effort,
    CancellationToken CancellationToken)
{
    /// <summary>How many points.</summary>
    public int Count => Map.Points.Length;

    /// <summary>Alpha of all prunings behind the leaf phase.</summary>
    public float RefineAlpha => Parameters.Alpha + Options.RefineAlphaExtra;
}
