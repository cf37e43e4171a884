namespace VectorPipe.Searching.Requests;

/// <summary>Receives a request when it has ended: with its answer, or with its error.</summary>
internal interface IRequestCompletion
{
    /// <summary>Called once a use, on the run thread. Must not block and must not throw.</summary>
    /// <param name="request">The request; the caller owns it again.</param>
    void OnCompleted(PendingRequest request);
}
