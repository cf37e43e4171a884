using VectorPipe.Model.Collections;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>The collections that checkpoints change, and their sizes.</summary>
internal static class CheckpointSizes
{
    /// <summary>Records: some more than the fewest that are calibrated.</summary>
    public const int Count = 1100;

    /// <summary>A checkpoint after a dozen writes, many without a rebuild.</summary>
    public static CollectionTuning Tuning { get; } = CollectionDirectory.Options.Tuning with
    {
        SegmentBlocks = 32,
        LeastWaiting = 12,
        MostDue = 2,
        LeastWithRoom = Count - 90,
        MostChanged = double.PositiveInfinity,
        LeastChangeBytes = 0,
        MostMovedKeys = 0.02,
    };

    /// <summary>Vectors of bytes, with nothing beside them.</summary>
    public static Prepared<ulong> Vectors { get; } = new(new CrashRecords<ulong>(key => (ulong)key) { IsBare = true, Tuning = Tuning });

    /// <summary>Records under strings.</summary>
    public static Prepared<string> Records { get; } = new(new CrashRecords<string>(key => $"key {key}") { Tuning = Tuning });
}
