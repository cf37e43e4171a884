namespace VectorPipe.Devices;

/// <summary>The submission and completion channel that one session opens on a device.</summary>
/// <remarks>
/// <para><b>Threading.</b> One thread, the run thread, calls all members, from first use to disposal. A queue throws
/// <see cref="InvalidOperationException"/> for any other thread (io_uring with a single issuer requires this).</para>
/// <para><b>Exactly once.</b> <see cref="Reap"/> hands back every read for which <see cref="TryEnqueue"/> returned true exactly once, under
/// every fault. A refused read (false, or an exception) is untouched and never counted.</para>
/// <para><b>Inline completion.</b> A device may complete a read inside <see cref="TryEnqueue"/> or <see cref="Submit"/>, but only
/// <see cref="Reap"/> hands it back. Nothing runs inside a submit, so no chain of reads can recurse.</para>
/// <para><b>Errors.</b> A failed read has <see cref="DeviceRead.Result"/> = -errno, as the operating system reported it (portable devices
/// map exceptions to errno values). A short read has a result between 0 and the length; the device does not continue it. Neither throws.
/// A channel that can no longer serve becomes <see cref="IsFaulted"/>. It refuses new reads with <see cref="DeviceException"/> and
/// completes its reads with -EIO as soon as the kernel can no longer write to their buffers: at once if they never reached the kernel.
/// Reads that a broken channel never gets back stay in flight until disposal.</para>
/// <para><b>Buffers.</b> The bytes at <see cref="DeviceRead.Address"/> belong to the device from acceptance until the read is handed back.
/// Behind a short read, the rest of the bytes that were asked for may hold anything; beyond them, nothing is written.
/// A buffer that the kernel may still write to is neither reused nor freed. If disposal cannot get its reads back within its bound, the
/// slab is leaked on purpose: the queue logs it and sets <see cref="BuffersMayBeWritten"/>, and the owner does not free the slab.</para>
/// </remarks>
public interface IDeviceQueue : IDisposable
{
    /// <summary>The most reads in flight.</summary>
    int Capacity { get; }

    /// <summary>Reads accepted and not handed back.</summary>
    int InFlight { get; }

    /// <summary>Whether the channel can no longer serve.</summary>
    bool IsFaulted { get; }

    /// <summary>Why the channel can no longer serve; null while it can.</summary>
    DeviceException? FaultCause { get; }

    /// <summary>Whether the kernel or a device thread may still write to the slab. Meaningful after disposal.</summary>
    bool BuffersMayBeWritten => false;

    /// <summary>Counts since the queue was opened.</summary>
    DeviceCounters Counters { get; }

    /// <summary>Accepts a read; <see cref="Submit"/> starts it, if the device has not.</summary>
    /// <param name="read">The read; belongs to the queue until <see cref="Reap"/> hands it back.</param>
    /// <returns>False if <see cref="Capacity"/> reads are in flight.</returns>
    /// <exception cref="ArgumentException">File, offset, length or address is misaligned or out of range.</exception>
    /// <exception cref="DeviceException">The channel is faulted.</exception>
    bool TryEnqueue(DeviceRead read);

    /// <summary>Starts every accepted read, with at most one system call.</summary>
    void Submit();

    /// <summary>Hands finished reads back.</summary>
    /// <param name="completed">Receives them from index 0 on, in the order in which they finished.</param>
    /// <param name="waitFor">0: never block. 1 or more: submit, then block until that many have finished (at most <see cref="InFlight"/>)
    /// or <paramref name="timeout"/> passes.</param>
    /// <param name="timeout">Bound of the wait: positive, at most one minute.</param>
    /// <returns>How many were handed back; 0 after a time-out.</returns>
    int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout);

    /// <summary>Allows another thread to dispose the queue. The caller ensures that the owner no longer uses it.</summary>
    void Disown();
}
