namespace VectorPipe.Pipeline;

/// <summary>Where a pending op is in its life.</summary>
internal enum PendingIoState
{
    /// <summary>In the session's pool.</summary>
    Free,

    /// <summary>Accepted by the device, which may write to its buffer.</summary>
    Issued,

    /// <summary>Handed back by the device; waits in the ready queue.</summary>
    Ready,

    /// <summary>In the hands of the session or the owner, on the run thread.</summary>
    Draining,

    /// <summary>Timed out while the device still holds it: the device may yet write to its buffer.</summary>
    Abandoned,

    /// <summary>Landed; its owner keeps the bytes.</summary>
    Kept,
}
