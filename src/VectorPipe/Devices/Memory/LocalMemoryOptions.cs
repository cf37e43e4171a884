using System.Numerics;

namespace VectorPipe.Devices.Memory;

/// <summary>Settings of a memory device. Immutable; checked when the device opens.</summary>
internal sealed record LocalMemoryOptions
{
    /// <summary>Largest ring: the largest power of two that an array can hold.</summary>
    public const int MaxRingCapacity = 1 << 30;

    public LocalMemoryMode Mode { get; init; } = LocalMemoryMode.Inline;

    /// <summary>
    /// The most reads in flight on one queue, rounded up to a power of two; bounds the queue's capacity
    /// (docs/decisions.md#memory-ring).
    /// </summary>
    public int RingCapacity { get; init; } = 256;

    /// <summary>Ring mode: serving threads, to which queues are assigned in turn. 1 .. 1024.</summary>
    public int Threads { get; init; } = 1;

    /// <summary>Microseconds from submission to completion of every read; reads overlap. 0 .. 60,000,000.</summary>
    public int LatencyUs { get; init; }

    /// <summary>
    /// Reads that the device serves per second, one after another, for all queues together; the latency comes on top. 1 .. 10,000,000;
    /// null for no bound.
    /// </summary>
    public int? ReadsPerSecond { get; init; }

    /// <summary>Rounds up to a power of two without overflow, to at most <see cref="MaxRingCapacity"/>.</summary>
    public static int RoundUpCapacity(int capacity) =>
        capacity >= MaxRingCapacity ? MaxRingCapacity : (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(capacity, 1));

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
