namespace VectorPipe.Devices;

/// <summary>A random-access byte store of one or more files: behind io_uring, behind the portable calls, or in memory.</summary>
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

    /// <summary>Why it serves in the place of a better one; null if it is the best here, or was asked for by name.</summary>
    string? FallbackReason => null;

    /// <summary>Files of the device: reads name one by its number, 0 .. count - 1.</summary>
    int FileCount { get; }

    /// <summary>Power of two; offsets, lengths and addresses of reads must be multiples of it; 1 where any will do.</summary>
    int Alignment { get; }

    /// <summary>Bytes of a file when the device was opened.</summary>
    long LengthOf(int file);

    /// <summary>Opens a queue for the calling thread.</summary>
    /// <exception cref="DeviceException">The queue cannot be set up; names the system call and its errno.</exception>
    IDeviceQueue OpenQueue(DeviceQueueOptions options);
}
