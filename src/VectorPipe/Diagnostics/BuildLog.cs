using Microsoft.Extensions.Logging;

namespace VectorPipe.Diagnostics;

/// <summary>Messages about building an index.</summary>
internal static partial class BuildLog
{
    [LoggerMessage(200, LogLevel.Information, "Build phase {Phase} took {WallSeconds:F2} s ({CpuSeconds:F2} CPU s)")]
    public static partial void Phase(ILogger logger, string phase, double wallSeconds, double cpuSeconds);

    [LoggerMessage(
        201, LogLevel.Warning, "{Unreachable} of {Count} nodes were not reachable from the entry point; {Links} links were added")]
    public static partial void Repaired(ILogger logger, long unreachable, long count, int links);

    [LoggerMessage(202, LogLevel.Information, "Published generation {Generation} in {Directory}: {Bytes} bytes")]
    public static partial void Published(ILogger logger, uint generation, string directory, long bytes);

    [LoggerMessage(203, LogLevel.Warning, "Left-over files in {Directory} could not be deleted; the next build tries again")]
    public static partial void LeftoversStay(ILogger logger, Exception error, string directory);

    [LoggerMessage(204, LogLevel.Warning, "Import: {Omission}")]
    public static partial void ImportOmission(ILogger logger, string omission);

    [LoggerMessage(216, LogLevel.Information, "Import: {Writer}")]
    public static partial void ImportedFrom(ILogger logger, string writer);

    [LoggerMessage(205, LogLevel.Information, "Of {Checked} nodes searched for, {Found} were found ({Share:P2})")]
    public static partial void FoundThemselves(ILogger logger, int @checked, int found, double share);

    [LoggerMessage(
        206, LogLevel.Warning,
        "Of {Checked} nodes searched for, only {Found} were found ({Share:P2}, expected {Expected:P1} or more): searches miss regions of "
        + "the graph; build with a larger degree")]
    public static partial void MissedThemselves(ILogger logger, int @checked, int found, double share, double expected);

    [LoggerMessage(
        207, LogLevel.Information,
        "Plan of {Phase}: at most {MemoryBytes} bytes of memory and {ScratchBytes} of scratch files, about {Seconds:F1} s")]
    public static partial void PlannedPhase(ILogger logger, string phase, long memoryBytes, long scratchBytes, double seconds);

    [LoggerMessage(
        208, LogLevel.Information,
        "Plan of {Points} points: {MemoryBytes} bytes of memory at most ({LeastBytes} would do), {ScratchBytes} of scratch files and "
        + "{IndexBytes} of index, about {Seconds:F0} s")]
    public static partial void Planned(
        ILogger logger, long points, long memoryBytes, long leastBytes, long scratchBytes, long indexBytes, double seconds);

    [LoggerMessage(
        210, LogLevel.Warning, "Pages hold the original vectors, not rounded to float16, and searches read more pages: {Defect}")]
    public static partial void VectorsNotRounded(ILogger logger, string defect);

    [LoggerMessage(
        209, LogLevel.Warning,
        "Vectors of {Dimension} components are coded without a rotation: expected at most {MaxDimension} for optimized product "
        + "quantization")]
    public static partial void CodeWithoutRotation(ILogger logger, int dimension, int maxDimension);

    [LoggerMessage(212, LogLevel.Information, "The memory budget has room for {Threads} of {Most} worker threads")]
    public static partial void FewerThreads(ILogger logger, int threads, int most);

    [LoggerMessage(211, LogLevel.Warning, "Blocks of scratch file {Path} could not be read ahead, and nothing needed them")]
    public static partial void ReadAheadFailed(ILogger logger, Exception error, string path);

    [LoggerMessage(213, LogLevel.Information, "Deleted left-overs of unfinished builds in {Directory}: {Files}")]
    public static partial void DeletedLeftovers(ILogger logger, string directory, string files);

    [LoggerMessage(217, LogLevel.Information, "Going on in {Directory} behind snapshot {Stage} of {Last} of an earlier build")]
    public static partial void TakenUp(ILogger logger, string directory, int stage, int last);

    [LoggerMessage(218, LogLevel.Warning, "What an earlier build has kept in {Directory} cannot be used; the build begins anew")]
    public static partial void NotTakenUp(ILogger logger, Exception error, string directory);

    [LoggerMessage(
        219, LogLevel.Warning,
        "What an earlier build has kept in {Directory} is of other vectors, keys or options, or of another version of the library; the "
        + "build begins anew")]
    public static partial void KeptOfAnother(ILogger logger, string directory);

    [LoggerMessage(214, LogLevel.Warning, "The calibration of {Directory} could not read the new index; it tries once more")]
    public static partial void CalibrationRetried(ILogger logger, Exception error, string directory);

    [LoggerMessage(
        215, LogLevel.Warning,
        "The new index in {Directory} is published without a calibration, which failed to read it; CalibrateAsync calibrates it")]
    public static partial void NotCalibrated(ILogger logger, Exception error, string directory);
}
