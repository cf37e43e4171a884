namespace VectorPipe.Searching;

/// <summary>A look-up of a synchronous session: remembers which row of the batch it is.</summary>
internal sealed class SessionLookup : LookupRequest
{
    private readonly Stack<SessionLookup> _completed;

    /// <param name="completed">Receives the look-up when it has ended.</param>
    public SessionLookup(Stack<SessionLookup> completed) => _completed = completed;

    /// <summary>Row of the batch.</summary>
    public int Row { get; set; }

    /// <inheritdoc/>
    protected override void OnCompleted() => _completed.Push(this);
}
