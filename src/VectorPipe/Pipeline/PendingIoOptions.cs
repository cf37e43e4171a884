using VectorPipe.Model.Errors;

namespace VectorPipe.Pipeline;

/// <summary>Limits of a pending-IO session; fixed when it opens.</summary>
internal sealed record PendingIoOptions
{
    /// <summary>
    /// Longest <see cref="ReadTimeout"/>: for work that has nobody waiting for a single read, and much to lose by giving up.
    /// </summary>
    public static readonly TimeSpan LongestTimeout = TimeSpan.FromHours(1);

    /// <summary>Most ops at once: in flight, ready, or being looked at.</summary>
    public int Capacity { get; init; } = 128;

    /// <summary>Bytes of each op's buffer: the largest read.</summary>
    public int BufferBytes { get; init; } = 4096;

    /// <summary>
    /// Reads that may wait for submission before the session submits inside a turn; what is left goes in with the next turn's wait.
    /// Default: a quarter of
    /// the capacity, at least 8: on a disk that completes in bursts one submit a turn leaves it idle (measured: 0.93x fio at depth
    /// 64 against 1.09-1.23x with submits every 8-32, at 0.06-0.17 system calls a read).
    /// </summary>
    public int? SubmitEvery { get; init; }

    /// <summary>Longest time, in microseconds, to look for completions before a blocking wait; 0: none.</summary>
    public int PollUs { get; init; }

    /// <summary>Measures <see cref="PollUs"/>.</summary>
    public TimeProvider PollClock { get; init; } = TimeProvider.System;

    /// <summary>Most issues of one request after transient errors (EINTR, EAGAIN, ENOMEM) or short reads.</summary>
    public int MaxAttempts { get; init; } = 4;

    /// <summary>
    /// Lets a moment pass before a read is issued again that the system had no memory for (EAGAIN, ENOMEM). Default: 1 ms.
    /// </summary>
    public Action Pause { get; init; } = static () => SpinWait.SpinUntil(static () => false, 1);

    /// <summary>
    /// After this long without its completion a read has failed, and the session is faulted if the device never gives it back. Of a time in
    /// which nobody looked a quarter counts at most.
    /// </summary>
    public TimeSpan ReadTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Measures <see cref="ReadTimeout"/>, in milliseconds: at a fifth of the price of a fine clock (4-5 ns against 22-27).
    /// </summary>
    public Func<long> NowMs { get; init; } = static () => Environment.TickCount64;

    /// <summary>The options, checked.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public PendingIoOptions Validated()
    {
        Require.That(Capacity is >= 1 and <= 32_768, nameof(Capacity), Capacity, "1 to 32,768");
        Require.That(
            BufferBytes is >= 512 and <= 1 << 24 && BufferBytes % 512 == 0, nameof(BufferBytes), BufferBytes,
            "a multiple of 512 up to 16 MiB");
        Require.That(SubmitEvery is null or >= 1, nameof(SubmitEvery), SubmitEvery, "1 or more");
        Require.That(PollUs is >= 0 and <= 1_000_000, nameof(PollUs), PollUs, "0 to 1,000,000");
        Require.That(MaxAttempts >= 1, nameof(MaxAttempts), MaxAttempts, "1 or more");
        Require.That(
            ReadTimeout > TimeSpan.Zero && ReadTimeout <= LongestTimeout, nameof(ReadTimeout), ReadTimeout, "above 0, at most an hour");
        return this;
    }
}
