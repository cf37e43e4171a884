namespace VectorPipe.Devices;

/// <summary>The single-issuer submission/completion channel that one session opens on a device.</summary>
/// <remarks>
/// <para><b>Threading.</b> All members are called by one thread, the run thread, from first use to disposal. A queue may bind itself
/// to the first thread that uses it (io_uring with a single issuer does) and throws <see cref="InvalidOperationException"/>
/// for any other.</para>
/// <para><b>Exactly once.</b> Every read for which <see cref="TryEnqueue"/> returned true is handed back by <see cref="Reap"/> exactly
/// once, under every fault. A read that was refused (false, or an exception) was never counted and is untouched.</para>
/// <para><b>Inline completion.</b> A device may complete a read inside <see cref="TryEnqueue"/> or <see cref="Submit"/>; it is still handed
/// back by <see cref="Reap"/> alone, so nothing runs inside a submit and no chain of reads can recurse.</para>
/// <para><b>Errors.</b> A failed read has <see cref="DeviceRead.Result"/> = -errno, unchanged from the operating system (portable devices
/// map
/// their exceptions to errno values). A short read has a result between 0 and the length; the device does not continue it. Neither
/// throws. When the channel itself can no longer serve it becomes <see cref="IsFaulted"/>: it completes what it still holds
/// with -EIO as soon as the kernel can no longer write to those buffers (at once for reads that never reached the kernel), and
/// refuses new reads with <see cref="DeviceException"/>. Reads that a broken channel never gets back stay in flight until disposal.</para>
/// <para><b>Buffers.</b> The bytes at <see cref="DeviceRead.Address"/> belong to the device from acceptance until the read is handed back.
/// A buffer that the kernel may still write to is never reused and never freed: if disposal cannot get its reads back within its
/// bound, the slab is leaked on purpose: the queue logs it and says so by <see cref="BuffersMayBeWritten"/>, the owner does not
/// free.</para>
/// </remarks>
internal interface IDeviceQueue : IDisposable
{
    /// <summary>Most reads that may be accepted and not yet handed back.</summary>
    int Capacity { get; }

    /// <summary>Reads accepted and not yet handed back.</summary>
    int InFlight { get; }

    /// <summary>Whether the channel can no longer serve.</summary>
    bool IsFaulted { get; }

    /// <summary>Why the channel can no longer serve; null while it can.</summary>
    DeviceException? FaultCause { get; }

    /// <summary>
    /// Whether disposal gave up on reads that the kernel (or a device thread) may still write to: the owner must then never free or
    /// reuse the slab. Meaningful after <see cref="IDisposable.Dispose"/>.
    /// </summary>
    bool BuffersMayBeWritten => false;

    /// <summary>Counts since the queue was opened.</summary>
    DeviceCounters Counters { get; }

    /// <summary>Accepts a read, without necessarily starting it: <see cref="Submit"/> does.</summary>
    /// <returns>False if <see cref="Capacity"/> reads are in flight.</returns>
    /// <exception cref="ArgumentException">Offset, length or address is misaligned, outside the device's address rules, or the length is
    /// not positive.</exception>
    /// <exception cref="DeviceException">The channel is faulted.</exception>
    bool TryEnqueue(DeviceRead read);

    /// <summary>Starts everything accepted so far; at most one system call, none if nothing waits.</summary>
    void Submit();

    /// <summary>Hands back finished reads.</summary>
    /// <param name="completed">Receives them from index 0 on, in the order in which they finished.</param>
    /// <param name="waitFor">0: never block. 1 or more: submit what waits, then block until that many are here, or
    /// <paramref name="timeout"/> passes.
    /// Never more than <see cref="InFlight"/> are waited for.</param>
    /// <param name="timeout">Bound of the wait; must be positive and at most one minute.</param>
    /// <returns>How many were handed back; 0 after a time-out.</returns>
    int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout);

    /// <summary>
    /// Ends the binding to a thread: another one may dispose the queue. The caller sees to it that the owner no longer uses it.
    /// </summary>
    void Disown();
}
