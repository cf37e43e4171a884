using VectorPipe.Building.Phases;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building;

/// <summary>A build that is ready to run.</summary>
/// <param name="Work">State of the phases; owned by the build.</param>
/// <param name="Phases">The phases, in order.</param>
/// <param name="Files">The files of the index in the order of the manifest, and the most bytes of each.</param>
internal sealed record PreparedBuild(BuildWork Work, IReadOnlyList<Phase> Phases, IReadOnlyList<(FileRole Role, long Bytes)> Files)
{
    /// <summary>Most bytes of snapshots, which lie on the disk from phase to phase.</summary>
    public long SnapshotBytes { get; init; }
}
