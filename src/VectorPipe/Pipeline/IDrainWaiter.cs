namespace VectorPipe.Pipeline;

/// <summary>Someone who wants to look at what a turn of the session has brought, when it is over and no op is being served.</summary>
internal interface IDrainWaiter
{
    /// <summary>Called on the run thread, at the end of a drain. May issue reads and give ops back.</summary>
    void OnDrained();
}
