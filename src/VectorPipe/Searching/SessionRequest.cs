namespace VectorPipe.Searching;

/// <summary>A query of a synchronous session: remembers which row of the batch it is.</summary>
internal sealed class SessionRequest : SearchRequest
{
    private readonly Stack<SessionRequest> _completed;

    /// <param name="completed">Receives the request when it has ended.</param>
    public SessionRequest(Stack<SessionRequest> completed) => _completed = completed;

    /// <summary>Row of the batch.</summary>
    public int Row { get; set; }

    /// <inheritdoc/>
    protected override void OnCompleted() => _completed.Push(this);
}
