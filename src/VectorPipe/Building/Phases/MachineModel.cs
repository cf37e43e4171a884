using VectorPipe.Building.Shuffling;

namespace VectorPipe.Building.Phases;

/// <summary>Constants of the arithmetic of plans.</summary>
/// <remarks>Seconds are those of one machine (AMD EPYC, two processors, an SSD): they rank phases rather than predict times.</remarks>
internal static class MachineModel
{
    public const long MiB = 1 << 20;

    /// <summary>
    /// Fixed overhead: code, runtime, stacks, uncollected garbage. Measured: resident memory minus the bytes that all phases state.
    /// </summary>
    public const long ProcessBytes = 26 * MiB;

    /// <summary>Bytes of a worker thread: panels, reservoirs, candidate lists, readers.</summary>
    public const long ThreadBytes = 4 * MiB;

    /// <summary>Most bytes that a phase leaves to garbage: a build forces no collection in the process of its caller.</summary>
    public const long GarbageBytes = 32 * MiB;

    public const long LeastShuffleBytes = 4 * MiB;

    /// <summary>Most bytes for the rows of a shuffle; see docs/decisions.md#windows-of-shuffles.</summary>
    public const long MostShuffleBytes = 256 * MiB;

    /// <summary>Bytes per key until the key directory is written: key, id, and where its bucket begins.</summary>
    public const long KeyBytes = 13;

    /// <summary>Buffers of the files that are written.</summary>
    public const long WriterBytes = 8 * MiB;

    /// <summary>Bytes a second of random block reads from scratch files.</summary>
    public const double ReadBytesPerSecond = 150e6;

    // A float component takes about 2.3 times as long as a byte in the blocked kernels (AVX-VNNI against AVX2).
    private const double FloatFactor = 2.3;
    private const double UnitComponents = 128;

    /// <summary>Time of a distance relative to one of 128 bytes.</summary>
    public static double DistanceUnits(int components, bool isFloat) => components / UnitComponents * (isFloat ? FloatFactor : 1);

    /// <summary>
    /// Bytes of a shuffle of <paramref name="rows"/> beyond the least, of <paramref name="room"/> free bytes (null for no bound): no more
    /// than all rows take.
    /// </summary>
    public static long ShuffleGrowth(long? room, long rows, int rowBytes)
    {
        long most = Math.Min(MostShuffleBytes, rows * (rowBytes + ShuffleOptions.BookkeepingBytes));
        return Math.Clamp((room ?? long.MaxValue) / 4, 0, Math.Max(0, most - LeastShuffleBytes));
    }
}
