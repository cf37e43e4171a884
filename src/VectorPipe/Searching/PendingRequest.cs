namespace VectorPipe.Searching;

/// <summary>Something asked of an index and on its way: a query, or the look-up of a key.</summary>
/// <remarks>Owned by the caller until it enters a runner, then by the runner's thread until <see cref="OnCompleted"/>.</remarks>
internal abstract class PendingRequest
{
    /// <summary>Ends the request early.</summary>
    public CancellationToken CancellationToken { get; private set; }

    /// <summary>When the request was accepted, in Stopwatch ticks.</summary>
    public long AcceptedAt { get; private set; }

    /// <summary>Why there is no answer; null if there is.</summary>
    public Exception? Error { get; private set; }

    /// <summary>The next request of an inbox or of a queue.</summary>
    public PendingRequest? Next { get; set; }

    /// <summary>Hands the request over to a runner, on the runner's thread.</summary>
    public abstract void Enter(SearchRunner runner);

    /// <summary>Ends without an answer.</summary>
    public void Fail(Exception error)
    {
        Error = error;
        OnCompleted();
    }

    /// <summary>Fails the request if it was cancelled.</summary>
    /// <returns>Whether it was.</returns>
    public bool FailIfCancelled()
    {
        if (!CancellationToken.IsCancellationRequested)
            return false;
        Fail(new OperationCanceledException(CancellationToken));
        return true;
    }

    /// <summary>Begins a use: what an earlier one left behind is forgotten.</summary>
    protected void Begin(long acceptedAt, CancellationToken cancellationToken)
    {
        AcceptedAt = acceptedAt;
        CancellationToken = cancellationToken;
        Error = null;
    }

    /// <summary>Called once, on the run thread, when the answer or the error is there. Must not block and must not throw.</summary>
    protected abstract void OnCompleted();
}
