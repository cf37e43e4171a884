using Microsoft.Extensions.Logging;

namespace VectorPipe.Diagnostics;

/// <summary>Messages of a collection. The event ids are stable.</summary>
internal static partial class CollectionLog
{
    [LoggerMessage(401, LogLevel.Error, "{Directory}: a rebuild failed; searches and writes go on.")]
    public static partial void RebuildFailed(ILogger logger, Exception error, string directory);

    [LoggerMessage(402, LogLevel.Information, "{Directory}: generation {Generation} with {Count} records is in force.")]
    public static partial void Rebuilt(ILogger logger, string directory, uint generation, long count);

    [LoggerMessage(
        403, LogLevel.Information, "{Directory}: checkpoint {Checkpoint} has taken in {Writes} writes; it wrote {Pages} pages.")]
    public static partial void CheckpointWritten(ILogger logger, string directory, uint checkpoint, long writes, int pages);
}
