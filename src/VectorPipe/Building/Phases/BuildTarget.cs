using Microsoft.Extensions.Logging;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building.Phases;

/// <summary>Where a build writes.</summary>
/// <param name="Directory">The index directory; its lock is held.</param>
/// <param name="Generation">The generation that is written.</param>
/// <param name="Io">Writes.</param>
/// <param name="Logger">Receives messages.</param>
internal sealed record BuildTarget(string Directory, uint Generation, IStorageIo Io, ILogger Logger);
