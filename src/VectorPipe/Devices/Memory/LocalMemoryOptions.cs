using System.Numerics;

namespace VectorPipe.Devices.Memory;

/// <summary>How a memory device behaves. Immutable; checked when the device is opened.</summary>
internal sealed record LocalMemoryOptions
{
    /// <summary>Largest ring, as a power of two that an array can have.</summary>
    public const int MaxRingCapacity = 1 << 30;

    /// <summary>Who serves the reads.</summary>
    public LocalMemoryMode Mode { get; init; } = LocalMemoryMode.Inline;

    /// <summary>
    /// Most reads in flight on one queue, rounded up to a power of two; a queue's capacity is at most this. From 64 to 8,192, measured with
    /// one serving thread,
    /// reads a second are most at the default; deeper rings only make a read wait longer.
    /// </summary>
    public int RingCapacity { get; init; } = 256;

    /// <summary>Ring mode: serving threads; queues are dealt out to them in turn. 1 .. 1024.</summary>
    public int Threads { get; init; } = 1;

    /// <summary>Time from submission to completion of every read, in microseconds; reads overlap. 0 .. 60,000,000.</summary>
    public int LatencyUs { get; init; }

    /// <summary>
    /// Reads that the device serves a second, all queues together, one after another; each takes its latency beside. 1 .. 10,000,000; null
    /// for no bound.
    /// </summary>
    public int? ReadsPerSecond { get; init; }

    /// <summary>The next power of two, without overflow: at most <see cref="MaxRingCapacity"/>.</summary>
    public static int RoundUpCapacity(int capacity) =>
        capacity >= MaxRingCapacity ? MaxRingCapacity : (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(capacity, 1));

    /// <summary>Refuses values out of range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Names the option.</exception>
    public void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(RingCapacity, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(Threads, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Threads, 1024);
        ArgumentOutOfRangeException.ThrowIfNegative(LatencyUs);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(LatencyUs, 60_000_000);
        ArgumentOutOfRangeException.ThrowIfLessThan(ReadsPerSecond ?? 1, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ReadsPerSecond ?? 1, 10_000_000);
    }
}
