namespace VectorPipe.Devices;

/// <summary>A random-access byte store: a file behind io_uring, a file behind the portable calls, or memory.</summary>
/// <remarks>
/// <para><b>Threading.</b> A device may be shared by any number of threads. Reads go through a queue (<see cref="OpenQueue"/>), which
/// belongs to one thread.</para>
/// <para><b>Lifetime.</b> The device must outlive its queues; disposing it while a queue is open throws
/// <see cref="InvalidOperationException"/>. Disposal is idempotent.</para>
/// </remarks>
internal interface IDevice : IDisposable
{
    /// <summary>Short name for logs, metrics and results: <c>uring</c>, <c>portable</c>, <c>memory</c>, <c>memory-ring</c>.</summary>
    string Name { get; }

    /// <summary>Size in bytes when the device was opened.</summary>
    long Length { get; }

    /// <summary>Power of two that offsets, lengths and addresses of reads must be multiples of; 1 where any will do.</summary>
    int Alignment { get; }

    /// <summary>Opens a submission/completion channel for the calling thread.</summary>
    /// <param name="options">Capacity, submit policy and buffers.</param>
    /// <exception cref="DeviceException">The channel cannot be set up; names the system call and its errno.</exception>
    IDeviceQueue OpenQueue(DeviceQueueOptions options);
}
