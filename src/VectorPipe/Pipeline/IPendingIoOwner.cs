namespace VectorPipe.Pipeline;

/// <summary>Who waits for a read: a query, a key look-up. Called on the run thread, inside a drain, once for every issued read.</summary>
/// <remarks>An owner may issue further reads from within these calls. If it throws, the op is returned and the count is exact all the
/// same; the exception leaves <see cref="PendingIoSession.Drain"/>, and what else is ready is served by the next drain.</remarks>
internal interface IPendingIoOwner
{
    /// <summary>All bytes have landed. They are the owner's until it returns.</summary>
    PendingIoOutcome OnRead(PendingIoContext op);

    /// <summary>The read has failed for good: an errno after all attempts, an unexpected end of file, a time-out.</summary>
    void OnReadFailed(PendingIoContext op, Exception error);
}
