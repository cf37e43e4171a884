using VectorPipe.Building.Phases;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building;

/// <summary>A build before it runs.</summary>
/// <param name="Work">What the phases hand on; owned by the build.</param>
/// <param name="Phases">The phases, in order.</param>
/// <param name="Files">The files of the index, in the order in which the manifest names them, and the bytes that each takes at
/// most.</param>
internal sealed record PreparedBuild(BuildWork Work, IReadOnlyList<Phase> Phases, IReadOnlyList<(FileRole Role, long Bytes)> Files);
