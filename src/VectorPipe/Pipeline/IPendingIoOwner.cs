namespace VectorPipe.Pipeline;

/// <summary>The query or key look-up that waits for a read. Called on the run thread, in a drain, once for every issued read.</summary>
/// <remarks>
/// An owner may issue further reads from these calls. If it throws, the op returns to the pool and the counts stay exact; the exception
/// leaves <see cref="PendingIoSession.Drain"/>, and the next drain serves the remaining ready ops.
/// </remarks>
internal interface IPendingIoOwner
{
    /// <summary>All bytes have landed. They are the owner's until it returns.</summary>
    PendingIoOutcome OnRead(PendingIoContext op);

    /// <summary>The read has failed for good: an errno after all attempts, an unexpected end of the file, or a time-out.</summary>
    void OnReadFailed(PendingIoContext op, Exception error);
}
