using VectorPipe.Model.Errors;

namespace VectorPipe.Pipeline;

/// <summary>Limits of a pending-IO session; fixed when it opens.</summary>
internal sealed record PendingIoOptions
{
    /// <summary>The longest <see cref="ReadTimeout"/>: for work in which nobody waits for a single read and a failure loses much.</summary>
    public static readonly TimeSpan LongestTimeout = TimeSpan.FromHours(1);

    /// <summary>The most ops at once: in flight, ready, or with their owners.</summary>
    public int Capacity { get; init; } = 128;

    /// <summary>Bytes of each op's buffer: the largest read.</summary>
    public int BufferBytes { get; init; } = 4096;

    /// <summary>
    /// Reads that may wait before the session submits within a turn; the rest goes in with the next turn's wait. Null: a quarter of the
    /// capacity, at least 8 (docs/decisions.md#waiting-and-submitting).
    /// </summary>
    public int? SubmitEvery { get; init; }

    /// <summary>
    /// Microseconds to poll for completions before a blocking wait, 0 for none; null to adapt (<see cref="WaitPolling"/>).
    /// </summary>
    public int? PollUs { get; init; } = 0;

    /// <summary>Measures <see cref="PollUs"/>.</summary>
    public TimeProvider PollClock { get; init; } = TimeProvider.System;

    /// <summary>The most issues of one request after transient errors (EINTR, EAGAIN, ENOMEM) or short reads.</summary>
    public int MaxAttempts { get; init; } = 4;

    /// <summary>Waits before a read is issued again for which the system had no memory (EAGAIN, ENOMEM). Default: 1 ms.</summary>
    public Action Pause { get; init; } = static () => SpinWait.SpinUntil(static () => false, 1);

    /// <summary>
    /// A read without a completion for this long has failed, and the session is faulted unless the device hands the read back. Time without
    /// a look for completions counts for a quarter at most.
    /// </summary>
    public TimeSpan ReadTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Measures <see cref="ReadTimeout"/> in milliseconds; coarse, because a fine clock costs five times as much.</summary>
    public Func<long> NowMs { get; init; } = static () => Environment.TickCount64;

    public PendingIoOptions Validated()
    {
        Require.That(Capacity is >= 1 and <= 32_768, nameof(Capacity), Capacity, "1 to 32,768");
        Require.That(
            BufferBytes is >= 512 and <= 1 << 24 && BufferBytes % 512 == 0, nameof(BufferBytes), BufferBytes,
            "a multiple of 512 up to 16 MiB");
        Require.That(SubmitEvery is null or >= 1, nameof(SubmitEvery), SubmitEvery, "1 or more");
        Require.That(PollUs is null or (>= 0 and <= 1_000_000), nameof(PollUs), PollUs, "0 to 1,000,000");
        Require.That(MaxAttempts >= 1, nameof(MaxAttempts), MaxAttempts, "1 or more");
        Require.That(
            ReadTimeout > TimeSpan.Zero && ReadTimeout <= LongestTimeout, nameof(ReadTimeout), ReadTimeout, "above 0, at most an hour");
        return this;
    }
}
