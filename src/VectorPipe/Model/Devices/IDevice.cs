namespace VectorPipe.Devices;

/// <summary>A random-access byte store of one or more files: io_uring, blocking calls, memory, or a program's own.</summary>
/// <remarks>
/// <para><b>Threading.</b> A device may be shared by any number of threads. Reads go through a queue (<see cref="OpenQueue"/>), which
/// belongs to one thread.</para>
/// <para><b>Content.</b> The bytes of a file do not change while the device is open, and its length does not, either.</para>
/// <para><b>Lifetime.</b> The device must outlive its queues; disposing it while a queue is open throws
/// <see cref="InvalidOperationException"/>. Disposal is idempotent. An index disposes the device that it reads through.</para>
/// <para>The package VectorPipe.Conformance checks these promises and those of <see cref="IDeviceQueue"/>.</para>
/// </remarks>
public interface IDevice : IDisposable
{
    /// <summary>Short name for logs, metrics and results: <c>uring</c>, <c>portable</c>, <c>memory</c>, <c>memory-ring</c>.</summary>
    string Name { get; }

    /// <summary>Why it serves in the place of a better one; null if it is the best here, or was asked for by name.</summary>
    string? FallbackReason => null;

    /// <summary>Files of the device: reads name one by its number, 0 .. count - 1.</summary>
    int FileCount { get; }

    /// <summary>Offsets, lengths and addresses of reads are multiples of it: a power of two, 1 (any will do) to 4,096.</summary>
    int Alignment { get; }

    /// <summary>Bytes of a file when the device was opened.</summary>
    /// <param name="file">Number of the file.</param>
    long LengthOf(int file);

    /// <summary>Opens a queue, for the thread that first uses it. Thread-safe.</summary>
    /// <param name="options">What the queue has to hold.</param>
    /// <exception cref="DeviceException">The queue cannot be set up; names the system call and its errno.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is out of its range.</exception>
    /// <exception cref="ObjectDisposedException">The device was disposed.</exception>
    IDeviceQueue OpenQueue(DeviceQueueOptions options);
}
