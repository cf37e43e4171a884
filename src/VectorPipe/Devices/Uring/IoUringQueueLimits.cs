namespace VectorPipe.Devices.Uring;

/// <summary>How long an io_uring queue waits for a kernel that does not deliver.</summary>
/// <param name="Drain">The most time that disposal waits for reads in flight; it cancels them halfway.</param>
/// <param name="Refusal">The most time that the kernel may refuse submissions (EAGAIN, EBUSY) while nothing is in flight; then the queue
/// is faulted.</param>
internal readonly record struct IoUringQueueLimits(TimeSpan Drain, TimeSpan Refusal)
{
    /// <summary>Much longer than a working disk needs.</summary>
    public static IoUringQueueLimits Default => new(TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(5));
}
