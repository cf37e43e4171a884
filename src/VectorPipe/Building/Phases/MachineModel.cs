namespace VectorPipe.Building.Phases;

/// <summary>The constants that plans of builds are computed with.</summary>
/// <remarks>Seconds are those of one machine (AMD EPYC, two processors, an SSD): they tell which phases take long rather than how
/// long.</remarks>
internal static class MachineModel
{
    /// <summary>Bytes of a mebibyte.</summary>
    public const long MiB = 1 << 20;

    /// <summary>
    /// Fixed overhead of a build: code, runtime, stacks, uncollected garbage. Measured: resident memory minus all that phases state.
    /// </summary>
    public const long ProcessBytes = 26 * MiB;

    /// <summary>Bytes of a worker thread: panels, reservoirs, candidate lists, readers.</summary>
    public const long ThreadBytes = 4 * MiB;

    /// <summary>Bytes that a phase leaves to garbage, if it has room: a build forces no collection in the process of its caller.</summary>
    public const long GarbageBytes = 32 * MiB;

    /// <summary>Least bytes for the rows of a shuffle.</summary>
    public const long LeastShuffleBytes = 4 * MiB;

    /// <summary>Most bytes for the rows of a shuffle: more makes reads of a partition no longer.</summary>
    public const long MostShuffleBytes = 64 * MiB;

    /// <summary>Bytes a key until the key directory is written: the key, its id, and where its bucket begins.</summary>
    public const long KeyBytes = 13;

    /// <summary>Buffers of the files that are written.</summary>
    public const long WriterBytes = 8 * MiB;

    /// <summary>Bytes a second of scratch files that are read in blocks from anywhere.</summary>
    public const double ReadBytesPerSecond = 150e6;

    // A float component takes about 2.3 times as long as a byte in the blocked kernels (AVX-VNNI against AVX2).
    private const double FloatFactor = 2.3;
    private const double UnitComponents = 128;

    /// <summary>Time of a distance, where 1 is that of 128 components of a byte.</summary>
    /// <param name="components">Components of a vector.</param>
    /// <param name="isFloat">Whether components are floating-point numbers.</param>
    public static double DistanceUnits(int components, bool isFloat) => components / UnitComponents * (isFloat ? FloatFactor : 1);

    /// <summary>Bytes of a shuffle beyond the least.</summary>
    /// <param name="room">Bytes that are free beside the least; null for no bound.</param>
    /// <param name="most">Most bytes of the shuffle that are of use.</param>
    public static long ShuffleGrowth(long? room, long most) =>
        Math.Clamp((room ?? long.MaxValue) / 4, 0, Math.Max(0, most - LeastShuffleBytes));
}
