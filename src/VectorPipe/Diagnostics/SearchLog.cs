using Microsoft.Extensions.Logging;

namespace VectorPipe.Diagnostics;

/// <summary>Messages about opening and searching an index.</summary>
internal static partial class SearchLog
{
    [LoggerMessage(
        100, LogLevel.Information,
        "Opened {Directory}: {Count} vectors of dimension {Dimension}, generation {Generation}, {MemoryBytes} bytes in memory, device "
        + "{Device}")]
    public static partial void Opened(
        ILogger logger, string directory, long count, int dimension, uint generation, long memoryBytes, string device);

    [LoggerMessage(102, LogLevel.Information, "Cached {Pages} pages in {Bytes} bytes of memory: {Kind}")]
    public static partial void Cached(ILogger logger, long pages, long bytes, string kind);

    [LoggerMessage(103, LogLevel.Error, "{Thread} met an error; the queries and look-ups that it has accepted end with the error")]
    public static partial void RequestsFailed(ILogger logger, Exception error, string thread);

    [LoggerMessage(104, LogLevel.Error, "{Thread} could not close its device queue; its buffers stay allocated")]
    public static partial void CloseFailed(ILogger logger, Exception error, string thread);

    [LoggerMessage(
        105, LogLevel.Information,
        "A read costs {ReadCostUs:F1} µs ({Source}): searches follow links of nodes up to {FollowFactor} times as far as the answer, and "
        + "walk the pages of {WalkWidth} candidates in memory")]
    public static partial void ReadCost(ILogger logger, double readCostUs, string source, float followFactor, int walkWidth);

    [LoggerMessage(106, LogLevel.Warning, "The cost of a read could not be measured; searches take the default effort")]
    public static partial void ReadCostUnknown(ILogger logger, Exception error);

    [LoggerMessage(
        107, LogLevel.Warning,
        "{Directory} was not calibrated: searches that aim at a recall of {Recall} take an effort that finds it on most collections. "
        + "VectorIndex.CalibrateAsync measures it")]
    public static partial void RecallEstimated(ILogger logger, string directory, float recall);

    [LoggerMessage(
        108, LogLevel.Warning,
        "{Directory}: a recall of {Recall} is above {Found}, the highest of its calibration; searches take the highest effort of the "
        + "calibration")]
    public static partial void RecallBeyondCalibration(ILogger logger, string directory, float recall, float found);

    [LoggerMessage(
        109, LogLevel.Error,
        "The device queue of {Thread} failed; queries and look-ups in flight end with the error, and another queue is opened")]
    public static partial void QueueReplaced(ILogger logger, Exception error, string thread);

    [LoggerMessage(
        110, LogLevel.Information,
        "{Directory}: of {Queries} queries of the program, searches that aim at a recall of {Target} found {Found}; from now on they "
        + "follow these queries (measured in {Seconds:F1} s)")]
    public static partial void Followed(ILogger logger, string directory, int queries, float target, float found, double seconds);

    [LoggerMessage(
        111, LogLevel.Warning, "{Directory}: recall could not be measured by queries of the program; the next round tries again")]
    public static partial void NotFollowed(ILogger logger, Exception error, string directory);
}
