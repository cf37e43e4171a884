namespace VectorPipe.Building.Phases;

/// <summary>The memory that a phase needs at the least, in bytes.</summary>
/// <param name="HeldBytes">Arrays beside tables, and worker threads; without what every process holds, see <see
/// cref="MachineModel.ProcessBytes"/>.</param>
/// <param name="TableBytes">All of the tables that exist during the phase.</param>
/// <param name="PinnedBytes">Blocks of paged tables that are in use at a time.</param>
internal readonly record struct PhaseNeeds(long HeldBytes, long TableBytes = 0, long PinnedBytes = 0)
{
    /// <summary>Arrays that the garbage collector may not have freed when later phases run.</summary>
    public long LeftBytes { get; init; }
}
