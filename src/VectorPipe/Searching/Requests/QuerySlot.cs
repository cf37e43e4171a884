using System.Diagnostics;
using VectorPipe.Model.Search;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Requests;

/// <summary>A place for one query at a time on a run thread: it begins, steps, answers or fails. Each kind of index has its own.</summary>
/// <remarks>Only the run thread touches it. All scratch is kept from query to query.</remarks>
internal abstract class QuerySlot(DistanceMetric metric) : IDisposable
{
    private long _startedAt;
    private long _cpuTicks;

    public bool IsActive => Request is not null;

    /// <summary>Whether the slot waits in the runner's list of queries that can go on; the runner sets it.</summary>
    public bool IsQueued { get; set; }

    /// <summary>Whether the query was cancelled, or its time is over.</summary>
    public bool MustEnd => Request is { MustEnd: true };

    /// <summary>Whether the query gave the thread back with work left that needs no read, so that others have their turn.</summary>
    public bool HasYielded { get; protected set; }

    /// <summary>Whether a page has landed, a read has failed, or an op is free since the query gave the thread back.</summary>
    public abstract bool CanAdvance { get; }

    /// <summary>Whether work is left that nothing waits for.</summary>
    public virtual bool Owes => false;

    /// <summary>The query; null between queries.</summary>
    protected SearchRequest? Request { get; private set; }

    /// <summary>Why the query fails; null while it goes well.</summary>
    protected Exception? Error { get; set; }

    /// <summary>What ended the query before its time; null for nothing.</summary>
    protected SearchEnd? EndedEarlyBy { get; set; }

    /// <summary>The answer so far.</summary>
    protected abstract ResultPool Results { get; }

    /// <summary>Begins a query; <see cref="Advance"/> issues its first reads.</summary>
    public void Start(SearchRequest request)
    {
        Debug.Assert(Request is null, "one query a slot");
        Request = request;
        Error = null;
        EndedEarlyBy = null;
        HasYielded = false;
        _cpuTicks = 0;
        _startedAt = Stopwatch.GetTimestamp();
        request.Trace?.Begin(request.AcceptedAt);
        try
        {
            Begin(request);
            Results.Admission = request.Admission;
        }
        catch (OutOfMemoryException e)
        {
            // A query that finds no memory fails; its neighbours go on.
            Error = e;
        }

        CountWork(_startedAt);
    }

    /// <summary>Goes on as far as possible without waiting.</summary>
    /// <returns>True if the query has ended: it was answered, or failed.</returns>
    public bool Advance()
    {
        Debug.Assert(Request is not null, "only an active query is advanced");
        SearchRequest request = Request;
        if (Error is null && request.CancellationToken.IsCancellationRequested)
            Error = new OperationCanceledException(request.CancellationToken);
        if (Error is null && request.IsOverdue)
            return EndOverdue(request);
        if (!MustStep())
            return false;
        long from = Stopwatch.GetTimestamp();
        HasYielded = false;
        bool hasEnded;
        try
        {
            hasEnded = Error is not null || Step(request);
        }
        catch (Exception e) when (e is IndexCorruptException or DeviceException or OperationCanceledException or OutOfMemoryException)
        {
            Error = e;
            hasEnded = true;
        }

        long to = CountWork(from);
        if (hasEnded)
            End(request, to);
        return hasEnded;
    }

    /// <summary>Does the work that nothing waits for, while the issued reads are in flight.</summary>
    public virtual void Settle()
    {
    }

    /// <summary>Ends the query with an error if it is active; reads in flight are ignored when they land.</summary>
    public void Abort(Exception error)
    {
        if (Request is not { } request)
            return;
        Error = error;
        End(request, Stopwatch.GetTimestamp());
    }

    public abstract void Dispose();

    /// <summary>Prepares the scratch for a query.</summary>
    protected abstract void Begin(SearchRequest request);

    /// <summary>Whether the query has something to do, or has failed.</summary>
    protected virtual bool MustStep() => true;

    /// <summary>Goes on as far as possible without waiting.</summary>
    /// <returns>Whether the query has its answer, or has failed.</returns>
    protected abstract bool Step(SearchRequest request);

    /// <summary>Counts the work of an answered query; results, times and causes are filled in later.</summary>
    protected abstract SearchStatistics Count();

    /// <summary>Drops reads in flight; the query has ended.</summary>
    protected abstract void Release();

    /// <summary>Counts processor time of the query from a timestamp on.</summary>
    /// <returns>The timestamp at which it ends.</returns>
    protected long CountWork(long from)
    {
        long to = Stopwatch.GetTimestamp();
        _cpuTicks += to - from;
        Request?.Trace?.Add(SearchTraceKind.Compute, from, to);
        return to;
    }

    private bool EndOverdue(SearchRequest request)
    {
        Settle();
        EndedEarlyBy = SearchEnd.Deadline;
        End(request, Stopwatch.GetTimestamp());
        return true;
    }

    private void End(SearchRequest request, long now)
    {
        SearchStatistics counts = Error is null ? Count() : default;
        Release();

        // It may hold all that waits in a collection.
        Results.Admission = default;
        Request = null;
        HasYielded = false;
        if (Error is not null)
        {
            request.Fail(Error);
            return;
        }

        double tickUs = 1_000_000.0 / Stopwatch.Frequency;
        request.Trace?.Add(SearchTraceKind.Done, now, now, count: Results.Count);
        request.Answer(Results, metric, counts with
        {
            Hits = Results.Count,
            ElapsedUs = (now - request.AcceptedAt) * tickUs,
            QueueUs = (_startedAt - request.AcceptedAt) * tickUs,
            CpuUs = _cpuTicks * tickUs,
        }, EndedEarlyBy);
    }
}
