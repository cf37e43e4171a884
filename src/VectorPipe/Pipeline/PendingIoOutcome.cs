namespace VectorPipe.Pipeline;

/// <summary>The decision of an owner about an op whose bytes have landed.</summary>
internal enum PendingIoOutcome
{
    /// <summary>The owner is done with the bytes: the op returns to the pool.</summary>
    Done,

    /// <summary>The owner has redirected the op (<see cref="PendingIoContext.Redirect"/>): it is issued again and stays counted.</summary>
    Reissue,

    /// <summary>
    /// The owner keeps the op and its bytes until <see cref="PendingIoSession.Return"/>. The read no longer counts as pending.
    /// </summary>
    Keep,
}
