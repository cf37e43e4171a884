using VectorPipe.Devices;

namespace VectorPipe.Model.Collections;

/// <summary>Sizes of a collection that a user cannot choose better than the program. Immutable.</summary>
internal sealed record CollectionTuning
{
    /// <summary>Bytes of waiting writes at which a rebuild begins at the latest: they are scored by every search.</summary>
    public long MostWaitingBytes { get; init; } = 64 << 20;

    /// <summary>Waiting writes below which no checkpoint or rebuild begins by itself; null for 2,500 and 10,000.</summary>
    /// <remarks>A search scores 10,000 in about 0.05 ms. A checkpoint costs by the write, a rebuild by the record.</remarks>
    public long? LeastWaiting { get; init; }

    /// <summary>So many times as much as is taken in may wait when a checkpoint is nearly done, twice in any case: a large batch costs less
    /// by the write.</summary>
    public int MostDue { get; init; } = 32;

    /// <summary>Records from which on pages get room for more, so that checkpoints take writes in; fewer are rebuilt.</summary>
    public long LeastWithRoom { get; init; } = 20_000;

    /// <summary>Changes, as a share of what was built, at which a collection is rebuilt though its pages have room.</summary>
    public double MostChanged { get; init; } = 0.5;

    /// <summary>Bytes of the files of changes after the first below which a checkpoint adds another one.</summary>
    public long LeastChangeBytes { get; init; } = 1 << 20;

    /// <summary>Keys that changed, as a share of the records, above which a checkpoint writes the key directory anew.</summary>
    public double MostMovedKeys { get; init; } = 1 / 16.0;

    /// <summary>Time without a write after which the thread that writes ends; the next write starts one, which takes some 100 us.</summary>
    public TimeSpan WriterIdle { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Most queries of a rebuild's calibration; null for as many as that of an index.</summary>
    public int? CalibrationQueries { get; init; }

    /// <summary>Opens the device that searches read through, in the place of the one that the options say; null for that one.</summary>
    public Func<IReadOnlyList<string>, IDevice>? OpenDevice { get; init; }

    /// <summary>Blocks of the largest segments of the log; null for the default.</summary>
    public int? SegmentBlocks { get; init; }
}
