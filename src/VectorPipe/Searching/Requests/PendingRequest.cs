namespace VectorPipe.Searching.Requests;

/// <summary>Something asked of an index and on its way: a query, or the look-up of a key.</summary>
/// <remarks>Owned by the caller until it is posted or accepted, then by the run thread until its completion is called.</remarks>
internal abstract class PendingRequest
{
    private readonly IRequestCompletion _completion;

    /// <param name="completion">Receives the request when it has ended.</param>
    protected PendingRequest(IRequestCompletion completion) => _completion = completion;

    /// <summary>What serves it.</summary>
    public abstract RequestKind Kind { get; }

    /// <summary>Ends the request early.</summary>
    public CancellationToken CancellationToken { get; private set; }

    /// <summary>When the request was accepted, in Stopwatch ticks.</summary>
    public long AcceptedAt { get; private set; }

    /// <summary>Why there is no answer; null if there is.</summary>
    public Exception? Error { get; private set; }

    /// <summary>Row of the batch that it belongs to, for the one who asked.</summary>
    public int Row { get; set; }

    /// <summary>Whether a run thread that cannot serve has handed it to another one; that happens once.</summary>
    public bool IsHandedOver { get; set; }

    /// <summary>The next request of an inbox or of a queue.</summary>
    public PendingRequest? Next { get; set; }

    /// <summary>The request before it in a queue.</summary>
    public PendingRequest? Previous { get; set; }

    /// <summary>Ends without an answer.</summary>
    public void Fail(Exception error)
    {
        Error = error;
        _completion.OnCompleted(this);
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

    /// <summary>Lets go of everything of the caller's, and of arrays that are larger than most requests need.</summary>
    public virtual void Clear()
    {
        CancellationToken = default;
        Error = null;
    }

    /// <summary>Begins a use: forgets an earlier one.</summary>
    protected void Begin(long acceptedAt, CancellationToken cancellationToken)
    {
        AcceptedAt = acceptedAt;
        CancellationToken = cancellationToken;
        Error = null;
        IsHandedOver = false;
    }

    /// <summary>Ends with an answer.</summary>
    protected void Complete() => _completion.OnCompleted(this);
}
