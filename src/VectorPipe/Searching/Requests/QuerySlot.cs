namespace VectorPipe.Searching.Requests;

/// <summary>
/// A place for one query at a time on a run thread. Each kind of index has its own; the runner knows none of them by name.
/// </summary>
/// <remarks>Only the run thread touches it. All scratch is kept from query to query.</remarks>
internal abstract class QuerySlot : IDisposable
{
    /// <summary>Whether the slot serves a query.</summary>
    public abstract bool IsActive { get; }

    /// <summary>Whether the slot waits in the runner's list of queries that can go on; kept by the runner.</summary>
    public bool IsQueued { get; set; }

    /// <summary>Whether the query that the slot serves was cancelled.</summary>
    public abstract bool IsCancelled { get; }

    /// <summary>
    /// Whether something may have changed since the query gave the thread back: a page has landed, a read has failed, an op may be free.
    /// </summary>
    public abstract bool CanAdvance { get; }

    /// <summary>Whether the query gave the thread back with work left that needs no read, so that others have their turn.</summary>
    public abstract bool HasYielded { get; }

    /// <summary>Takes a query on; <see cref="Advance"/> starts it.</summary>
    public abstract void Start(SearchRequest request);

    /// <summary>Goes on as far as it can without waiting.</summary>
    /// <returns>True if the query has ended: it was answered, or failed.</returns>
    public abstract bool Advance();

    /// <summary>Whether work is left that nothing has waited for.</summary>
    public virtual bool Owes => false;

    /// <summary>Does the work that nothing has waited for: the time for it is when the reads that were issued are in flight.</summary>
    public virtual void Settle()
    {
    }

    /// <summary>Ends the query with an error if it is active; reads in flight are ignored when they land.</summary>
    public abstract void Abort(Exception error);

    /// <summary>Frees the scratch.</summary>
    public abstract void Dispose();
}
