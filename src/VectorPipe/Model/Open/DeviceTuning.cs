using VectorPipe.Model.Errors;

namespace VectorPipe.Model.Open;

/// <summary>Settings of a device for benchmarks and tests; null leaves a choice to the device.</summary>
internal sealed record DeviceTuning
{
    /// <summary>Nothing set.</summary>
    public static DeviceTuning None { get; } = new();

    /// <summary>
    /// Reads that may wait before they are submitted within a turn; what is left goes in with the wait of the next turn. 1 to 32,768: 1
    /// makes a system call a read,
    /// large values starve a disk that completes in bursts. Default: a quarter of the depth that the queries reach, at least 8.
    /// </summary>
    public int? SubmitEvery { get; init; }

    /// <summary>
    /// Longest time, in microseconds, for which a thread looks for completions before it sleeps until one comes: 0 to 10,000. Saves the
    /// wake-up,
    /// costs processor time while there is nothing else to do. Default: 0.
    /// </summary>
    public int PollUs { get; init; }

    /// <summary>
    /// io_uring: whether the buffers are registered with the kernel, which saves pinning them for every read. Default: yes, where the limit
    /// of locked memory allows.
    /// </summary>
    public bool? RegisterBuffers { get; init; }

    /// <summary>io_uring: whether a kernel thread polls for submissions. It takes a core. Default: no.</summary>
    public bool? SqPoll { get; init; }

    /// <summary>
    /// io_uring with <see cref="SqPoll"/>: milliseconds without a submission after which the kernel thread sleeps, 1 to 60,000. Default:
    /// the kernel's, 1,000.
    /// </summary>
    public int? SqIdleMs { get; init; }

    /// <summary>Memory: whether other threads serve the reads through a ring, as a disk would, instead of the calling thread.</summary>
    public bool IsRing { get; init; }

    /// <summary>Portable, and memory with <see cref="IsRing"/>: threads that serve reads, 1 to 1,024. Default: 32 and 1.</summary>
    public int? Threads { get; init; }

    /// <summary>
    /// Memory: time from submission to completion of every read, in microseconds, 0 to 60,000,000; reads overlap. Default: 0.
    /// </summary>
    public int? LatencyUs { get; init; }

    /// <summary>
    /// Memory: reads that the device serves a second, of all threads together, 1 to 10,000,000; what comes faster waits. Default: no bound.
    /// </summary>
    public int? ReadsPerSecond { get; init; }

    /// <summary>Whether an option is set that io_uring alone can honour.</summary>
    public bool NeedsUring => RegisterBuffers is not null || SqPoll is not null;

    /// <summary>Refuses what is out of its range, or what the device does not have.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Names the option.</exception>
    public void Validate(DeviceKind kind)
    {
        Require.That(SubmitEvery is null or (>= 1 and <= DeviceOptions.MaxQueueDepth), nameof(SubmitEvery), SubmitEvery, "1 to 32,768");
        Require.That(PollUs is >= 0 and <= 10_000, nameof(PollUs), PollUs, "0 to 10,000");
        Require.That(SqIdleMs is null or (>= 1 and <= 60_000), nameof(SqIdleMs), SqIdleMs, "1 to 60,000");
        Require.That(SqIdleMs is null || SqPoll == true, nameof(SqIdleMs), SqIdleMs, "none without a polling kernel thread");
        Require.That(Threads is null or (>= 1 and <= 1024), nameof(Threads), Threads, "1 to 1,024");
        Require.That(LatencyUs is null or (>= 0 and <= 60_000_000), nameof(LatencyUs), LatencyUs, "0 to 60,000,000");
        Require.That(ReadsPerSecond is null or (>= 1 and <= 10_000_000), nameof(ReadsPerSecond), ReadsPerSecond, "1 to 10,000,000");

        // With the automatic choice io_uring's options hold only if it is io_uring: a fall-back that cannot honour them is refused there.
        bool isUring = kind is DeviceKind.Auto or DeviceKind.Uring, isMemory = kind == DeviceKind.Memory, isServed = isMemory && IsRing;
        RequireKind(RegisterBuffers is null || isUring, nameof(RegisterBuffers), RegisterBuffers, "io_uring", kind);
        RequireKind(SqPoll is null || isUring, nameof(SqPoll), SqPoll, "io_uring", kind);
        RequireKind(!IsRing || isMemory, nameof(IsRing), IsRing, "memory", kind);
        RequireKind(
            Threads is null || kind == DeviceKind.Portable || isServed, nameof(Threads), Threads, "portable or served memory", kind);
        RequireKind(LatencyUs is null || isMemory, nameof(LatencyUs), LatencyUs, "memory", kind);
        RequireKind(ReadsPerSecond is null || isMemory, nameof(ReadsPerSecond), ReadsPerSecond, "memory", kind);
        RequireKind(
            SubmitEvery is null || !isMemory || IsRing, nameof(SubmitEvery), SubmitEvery, "io_uring, portable or served memory", kind);
    }

    private static void RequireKind(bool isHonoured, string name, object? value, string kinds, DeviceKind kind)
    {
        if (!isHonoured)
            throw new ArgumentOutOfRangeException(
                name, value, $"Expected this option with the {kinds} device only, found the {kind} device.");
    }
}
