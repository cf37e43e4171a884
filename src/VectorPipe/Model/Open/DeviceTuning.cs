using VectorPipe.Devices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Model.Open;

/// <summary>Settings of a device for benchmarks and tests; null leaves a choice to the device.</summary>
internal sealed record DeviceTuning
{
    /// <summary>Nothing set.</summary>
    public static DeviceTuning None { get; } = new();

    /// <summary>Reads that are gathered before a submission, 1 to 32,768; the end of a turn submits the rest.</summary>
    /// <remarks>
    /// 1 makes a system call a read; many starve a disk that completes in bursts. Default: a quarter of the depth, at least 8.
    /// </remarks>
    public int? SubmitEvery { get; init; }

    /// <summary>Microseconds to poll for completions before a thread sleeps, 0 to 10,000. Default: as long as it helps.</summary>
    public int? PollUs { get; init; }

    /// <summary>io_uring: whether buffers are registered, so that no read pins them. Default: if enough memory can be locked.</summary>
    public bool? RegisterBuffers { get; init; }

    /// <summary>io_uring: whether a kernel thread polls for submissions. It takes a core. Default: no.</summary>
    public bool? SqPoll { get; init; }

    /// <summary>Milliseconds after which an idle <see cref="SqPoll"/> thread sleeps, 1 to 60,000. Default: the kernel's, 1,000.</summary>
    public int? SqIdleMs { get; init; }

    /// <summary>The reason for which io_uring counts as forbidden; null to try it.</summary>
    public string? UringRefusal { get; init; }

    /// <summary>Memory: whether other threads serve the reads through a ring, as a disk would, instead of the calling thread.</summary>
    public bool IsRing { get; init; }

    /// <summary>Portable, and memory with <see cref="IsRing"/>: threads that serve reads, 1 to 1,024. Default: 32 and 1.</summary>
    public int? Threads { get; init; }

    /// <summary>Memory: microseconds from submission to completion of each read, 0 to 60,000,000; reads overlap. Default: 0.</summary>
    public int? LatencyUs { get; init; }

    /// <summary>Memory: reads a second that the device serves all threads, 1 to 10,000,000. Default: no bound.</summary>
    public int? ReadsPerSecond { get; init; }

    /// <summary>Whether an option is set that only io_uring has.</summary>
    public bool NeedsUring => RegisterBuffers is not null || SqPoll is not null;

    /// <summary>Refuses options that are out of range, or that the device does not have.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Names the option.</exception>
    public void Validate(DeviceKind kind)
    {
        Require.That(SubmitEvery is null or (>= 1 and <= DeviceQueueOptions.MaxCapacity), nameof(SubmitEvery), SubmitEvery, "1 to 32,768");
        Require.That(PollUs is null or (>= 0 and <= 10_000), nameof(PollUs), PollUs, "0 to 10,000");
        Require.That(SqIdleMs is null or (>= 1 and <= 60_000), nameof(SqIdleMs), SqIdleMs, "1 to 60,000");
        Require.That(SqIdleMs is null || SqPoll == true, nameof(SqIdleMs), SqIdleMs, "none without a polling kernel thread");
        Require.That(Threads is null or (>= 1 and <= 1024), nameof(Threads), Threads, "1 to 1,024");
        Require.That(LatencyUs is null or (>= 0 and <= 60_000_000), nameof(LatencyUs), LatencyUs, "0 to 60,000,000");
        Require.That(ReadsPerSecond is null or (>= 1 and <= 10_000_000), nameof(ReadsPerSecond), ReadsPerSecond, "1 to 10,000,000");

        // The automatic choice accepts options of io_uring; if it falls back to another device, it refuses them there.
        bool isUring = kind is DeviceKind.Auto or DeviceKind.Uring, isMemory = kind == DeviceKind.Memory, isServed = isMemory && IsRing;
        RequireKind(RegisterBuffers is null || isUring, nameof(RegisterBuffers), RegisterBuffers, "io_uring", kind);
        RequireKind(SqPoll is null || isUring, nameof(SqPoll), SqPoll, "io_uring", kind);
        RequireKind(UringRefusal is null || isUring, nameof(UringRefusal), UringRefusal, "io_uring", kind);
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
