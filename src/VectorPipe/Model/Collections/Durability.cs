namespace VectorPipe;

/// <summary>When a collection acknowledges a write. An acknowledged write is visible, and survives the end of the process.</summary>
public enum Durability
{
    /// <summary>When it is on disk: it survives a loss of power. Writes that wait at the same time share one sync. The default.</summary>
    GroupCommit = 0,

    /// <summary>When it is on disk, by a sync of its own: for measurements, and for disks whose syncs cost nothing.</summary>
    EveryWrite = 1,

    /// <summary>
    /// When the operating system has it. A loss of power can lose the newest writes since the last
    /// <see cref="VectorCollection{TKey}.FlushAsync"/>; what is left is the state at some moment after it.
    /// </summary>
    OnFlush = 2,
}
