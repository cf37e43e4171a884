namespace VectorPipe.Pipeline;

/// <summary>What an owner makes of a read that has landed.</summary>
internal enum PendingIoOutcome
{
    /// <summary>It is done with the bytes: the op goes back to the pool.</summary>
    Done,

    /// <summary>
    /// It has redirected the op (<see cref="PendingIoContext.Redirect"/>): the same op is issued again and stays counted.
    /// </summary>
    Reissue,

    /// <summary>
    /// It keeps the op and its bytes, and gives it back later (<see cref="PendingIoSession.Return"/>). The read is finished and no longer
    /// counted as pending.
    /// </summary>
    Keep,
}
