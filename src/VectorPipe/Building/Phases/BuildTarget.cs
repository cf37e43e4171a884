using Microsoft.Extensions.Logging;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building.Phases;

/// <summary>The destination of a build: an index directory, whose lock is held, and the generation to write.</summary>
internal sealed record BuildTarget(string Directory, uint Generation, IStorageIo Io, ILogger Logger);
