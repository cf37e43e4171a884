using VectorPipe.Diagnostics;

namespace VectorPipe.Devices;

/// <summary>What reads the files of an index, and how. Immutable.</summary>
/// <remarks>Null leaves a choice to the device. An option that the device cannot honour is refused when the index is opened, never ignored.</remarks>
public sealed record DeviceOptions
{
    /// <summary>The defaults.</summary>
    public static DeviceOptions Default { get; } = new();

    /// <summary>Which device. Default: io_uring where it works, else the portable device; the choice is logged with its reason.</summary>
    public DeviceKind Kind { get; init; } = DeviceKind.Auto;

    /// <summary>
    /// Most reads that a thread has with the device at once: 1 to 32,768. It holds whatever the queries ask for: what does not fit waits. The
    /// memory-ring device rounds it up to a power of two. Default: what the queries in flight can use (memory-ring: at most 256).
    /// </summary>
    public int? QueueDepth { get; init; }

    /// <summary>
    /// Reads that may wait before they are submitted within a turn; what is left goes in with the wait of the next turn. 1 to 32,768: 1 makes a system call a read,
    /// large values starve a disk that completes in bursts. Default: a quarter of the depth that the queries reach, at least 8.
    /// </summary>
    public int? SubmitEvery { get; init; }

    /// <summary>
    /// Longest time, in microseconds, for which a thread looks for completions before it sleeps until one comes: 0 to 10,000. Saves the wake-up,
    /// costs processor time while there is nothing else to do. Default: 0.
    /// </summary>
    public int PollUs { get; init; }

    /// <summary>io_uring: whether the buffers are registered with the kernel, which saves pinning them for every read. Default: yes, where the limit of locked memory allows.</summary>
    public bool? RegisterBuffers { get; init; }

    /// <summary>io_uring: whether a kernel thread polls for submissions. It takes a core. Default: no.</summary>
    public bool? SqPoll { get; init; }

    /// <summary>Portable and memory-ring: threads that serve reads, 1 to 1,024. Default: 32 and 1.</summary>
    public int? Threads { get; init; }

    /// <summary>Memory and memory-ring: time from submission to completion of every read, in microseconds, 0 to 60,000,000; reads overlap. Default: 0.</summary>
    public int? LatencyUs { get; init; }

    /// <summary>Memory and memory-ring: reads that the device serves a second, of all threads together, 1 to 10,000,000; what comes faster waits. Default: no bound.</summary>
    public int? ReadsPerSecond { get; init; }

    /// <summary>The options, checked.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range, or the device has no such option.</exception>
    internal DeviceOptions Validated()
    {
        Require.That(Enum.IsDefined(Kind), nameof(Kind), Kind, "a known device kind");
        Require.That(QueueDepth is null or (>= 1 and <= DeviceQueueOptions.MaxCapacity), nameof(QueueDepth), QueueDepth, "1 to 32,768");
        Require.That(SubmitEvery is null or (>= 1 and <= DeviceQueueOptions.MaxCapacity), nameof(SubmitEvery), SubmitEvery, "1 to 32,768");
        Require.That(PollUs is >= 0 and <= 10_000, nameof(PollUs), PollUs, "0 to 10,000");
        Require.That(Threads is null or (>= 1 and <= 1024), nameof(Threads), Threads, "1 to 1,024");
        Require.That(LatencyUs is null or (>= 0 and <= 60_000_000), nameof(LatencyUs), LatencyUs, "0 to 60,000,000");
        Require.That(ReadsPerSecond is null or (>= 1 and <= 10_000_000), nameof(ReadsPerSecond), ReadsPerSecond, "1 to 10,000,000");
        RequireKind(RegisterBuffers is null || IsUring, nameof(RegisterBuffers), RegisterBuffers, "io_uring");
        RequireKind(SqPoll is null || IsUring, nameof(SqPoll), SqPoll, "io_uring");
        RequireKind(Threads is null || Kind is DeviceKind.Portable or DeviceKind.MemoryRing, nameof(Threads), Threads, "portable or memory-ring");
        RequireKind(LatencyUs is null || Kind is DeviceKind.Memory or DeviceKind.MemoryRing, nameof(LatencyUs), LatencyUs, "memory or memory-ring");
        RequireKind(ReadsPerSecond is null || Kind is DeviceKind.Memory or DeviceKind.MemoryRing, nameof(ReadsPerSecond), ReadsPerSecond, "memory or memory-ring");
        RequireKind(SubmitEvery is null || Kind != DeviceKind.Memory, nameof(SubmitEvery), SubmitEvery, "io_uring, portable or memory-ring");
        return this;
    }

    // With the automatic choice io_uring's options hold only if it is io_uring: a fall-back that cannot honour them is refused there.
    private bool IsUring => Kind is DeviceKind.Auto or DeviceKind.Uring;

    /// <summary>Whether an option is set that io_uring alone can honour.</summary>
    internal bool NeedsUring => RegisterBuffers is not null || SqPoll is not null;

    private void RequireKind(bool isHonoured, string name, object? value, string kinds)
    {
        if (!isHonoured)
            throw new ArgumentOutOfRangeException(name, value, $"Expected this option with the {kinds} device only, found the {Kind} device.");
    }
}
