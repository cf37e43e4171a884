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

    /// <summary>On the run thread: being looked at by the session or by the owner.</summary>
    Draining,

    /// <summary>Given up by its owner after a time-out while the device still holds it: its buffer may yet be written to.</summary>
    Abandoned,

    /// <summary>Landed and finished, but its owner holds on to the bytes.</summary>
    Kept,
}
