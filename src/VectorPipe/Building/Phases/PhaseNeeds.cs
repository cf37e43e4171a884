namespace VectorPipe.Building.Phases;

/// <summary>The least memory of a phase, in bytes.</summary>
/// <param name="HeldBytes">Arrays beside tables, and worker threads; without <see cref="MachineModel.ProcessBytes"/>.</param>
/// <param name="TableBytes">All tables that exist during the phase.</param>
/// <param name="PinnedBytes">Blocks of paged tables in use at a time.</param>
internal readonly record struct PhaseNeeds(long HeldBytes, long TableBytes = 0, long PinnedBytes = 0)
{
    /// <summary>Arrays that the garbage collector may free only in later phases.</summary>
    public long LeftBytes { get; init; }
}
