namespace VectorPipe.Devices.Uring;

/// <summary>How long an io_uring queue bears with a kernel that does not deliver.</summary>
/// <param name="Drain">Most time that disposal waits for reads in flight; the second half of it after cancelling them.</param>
/// <param name="Refusal">Most time that submissions may be refused (EAGAIN, EBUSY) while nothing is in flight, before the queue is
/// faulted.</param>
internal readonly record struct IoUringQueueLimits(TimeSpan Drain, TimeSpan Refusal)
{
    /// <summary>Far beyond what a working disk needs.</summary>
    public static IoUringQueueLimits Default => new(TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(5));
}
