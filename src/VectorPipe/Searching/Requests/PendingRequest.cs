namespace VectorPipe.Searching.Requests;

/// <summary>A query, or the look-up of a key, on its way.</summary>
/// <remarks>The caller owns it until it is posted or accepted, then the run thread until it calls the completion.</remarks>
/// <param name="completion">Receives the request when it has ended.</param>
internal abstract class PendingRequest(IRequestCompletion completion)
{
    public abstract RequestKind Kind { get; }

    public CancellationToken CancellationToken { get; private set; }

    /// <summary>Time of acceptance, in Stopwatch ticks.</summary>
    public long AcceptedAt { get; private set; }

    /// <summary>Why there is no answer; null if there is.</summary>
    public Exception? Error { get; private set; }

    public int Row { get; set; }

    /// <summary>Whether a run thread that cannot serve has handed it to another one; it moves once.</summary>
    public bool IsHandedOver { get; set; }

    /// <summary>The next request of an inbox or of a queue.</summary>
    public PendingRequest? Next { get; set; }

    /// <summary>The request before it in a queue.</summary>
    public PendingRequest? Previous { get; set; }

    public void Fail(Exception error)
    {
        Error = error;
        completion.OnCompleted(this);
    }

    /// <summary>Whether the request may have to end before it is served.</summary>
    public virtual bool CanEndEarly => CancellationToken.CanBeCanceled;

    /// <summary>Whether the request must end at once.</summary>
    public virtual bool MustEnd => CancellationToken.IsCancellationRequested;

    /// <summary>Ends a request that waits if it must end, and tells whether it must.</summary>
    public bool EndIfItMust()
    {
        if (!MustEnd)
            return false;
        EndEarly();
        return true;
    }

    /// <summary>Ends a request that waits, and must end.</summary>
    protected virtual void EndEarly() => Fail(new OperationCanceledException(CancellationToken));

    /// <summary>Drops references to the caller's objects, and arrays that are larger than most requests need.</summary>
    public virtual void Clear()
    {
        CancellationToken = default;
        Error = null;
    }

    protected void Begin(long acceptedAt, CancellationToken cancellationToken)
    {
        AcceptedAt = acceptedAt;
        CancellationToken = cancellationToken;
        Error = null;
        IsHandedOver = false;
    }

    protected void Complete() => completion.OnCompleted(this);
}
