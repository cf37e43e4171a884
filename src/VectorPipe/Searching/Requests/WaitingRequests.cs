using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace VectorPipe.Searching.Requests;

/// <summary>The requests of a run thread that wait for room: first come, first served, each kind for itself.</summary>
/// <remarks>
/// Only the run thread touches it; waiting allocates nothing. Kinds have their own order because they have their own room: a look-up does
/// not wait behind searches that wait for slots. A look for requests that must end visits a bounded number of them and goes on where the
/// last one ended, so its price does not grow with the number that wait.
/// </remarks>
internal sealed class WaitingRequests
{
    /// <summary>Most requests that one look visits: the default limit of an index takes four looks.</summary>
    public const int MostVisited = 1024;

    private readonly Queue[] _queues = [new(), new(), new()];
    private int _endable;
    private int _next;

    public int Count { get; private set; }

    /// <summary>Called when a request waits no more, before it begins or ends.</summary>
    public Action? Left { get; init; }

    /// <summary>Requests that looks for those that must end have visited so far.</summary>
    public long Visited { get; private set; }

    public int CountOf(RequestKind kind) => _queues[(int)kind].Count;

    /// <summary>Adds a request behind the others of its kind.</summary>
    public void Enqueue(PendingRequest request)
    {
        _queues[(int)request.Kind].Enqueue(request);
        Count++;
        _endable += request.CanEndEarly ? 1 : 0;
        AssertInvariants();
    }

    /// <summary>The request of a kind that has waited longest; null for none.</summary>
    public PendingRequest? First(RequestKind kind) => _queues[(int)kind].First;

    /// <summary>Takes the request of a kind that has waited longest.</summary>
    public bool TryDequeue(RequestKind kind, [NotNullWhen(true)] out PendingRequest? request)
    {
        if (!TryMove(kind, out request))
            return false;
        Left?.Invoke();
        return true;
    }

    /// <summary>Takes the request of a kind that has waited longest, to wait elsewhere.</summary>
    public bool TryMove(RequestKind kind, [NotNullWhen(true)] out PendingRequest? request)
    {
        Queue queue = _queues[(int)kind];
        request = queue.First;
        if (request is null)
            return false;
        Remove(queue, request);
        return true;
    }

    /// <summary>Takes any request.</summary>
    public bool TryDequeue([NotNullWhen(true)] out PendingRequest? request) =>
        TryDequeue(RequestKind.Search, out request) || TryDequeue(RequestKind.Lookup, out request)
        || TryDequeue(RequestKind.Scan, out request);

    /// <summary>Ends those of the next <see cref="MostVisited"/> requests that must end; visits none while none may have to.</summary>
    public void EndEarly()
    {
        if (_endable == 0)
            return;
        for (int left = Math.Min(Count, MostVisited); left > 0;)
        {
            Queue queue = _queues[_next];
            if (!queue.TryVisit(out PendingRequest? request))
            {
                _next = (_next + 1) % _queues.Length;
                continue;
            }

            left--;
            Visited++;
            if (!request.MustEnd)
                continue;

            // Remove it before it ends: as soon as it has ended, it may be in use again, and in another queue.
            Remove(queue, request);
            Left?.Invoke();
            request.EndIfItMust();
        }
    }

    public void FailAll(Exception error)
    {
        while (TryDequeue(out PendingRequest? request))
            request.Fail(error);
    }

    public void FailAll(RequestKind kind, Exception error)
    {
        while (TryDequeue(kind, out PendingRequest? request))
            request.Fail(error);
    }

    private void Remove(Queue queue, PendingRequest request)
    {
        queue.Remove(request);
        Count--;
        _endable -= request.CanEndEarly ? 1 : 0;
        AssertInvariants();
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        // A loop: a check that allocates would hide what searches allocate.
        int waiting = 0;
        foreach (Queue queue in _queues)
            waiting += queue.Count;
        Debug.Assert(Count == waiting, "every request that waits is in one queue");
        Debug.Assert(_endable >= 0 && _endable <= Count, "those that may have to end are among those that wait");
    }

    /// <summary>Requests in the order of arrival, linked through themselves, with a cursor that goes round them.</summary>
    private sealed class Queue
    {
        private PendingRequest? _last;
        private PendingRequest? _cursor;

        public int Count { get; private set; }

        public PendingRequest? First { get; private set; }

        public void Enqueue(PendingRequest request)
        {
            request.Next = null;
            request.Previous = _last;
            if (_last is null)
                First = request;
            else
                _last.Next = request;
            _last = request;
            Count++;
        }

        /// <summary>Steps to the next request, which stays in the queue.</summary>
        /// <returns>False behind the last; the next step is the first again.</returns>
        public bool TryVisit([NotNullWhen(true)] out PendingRequest? request)
        {
            request = _cursor;
            _cursor = request is null ? First : request.Next;
            return request is not null;
        }

        public void Remove(PendingRequest request)
        {
            if (_cursor == request)
                _cursor = request.Next;
            if (request.Previous is { } previous)
                previous.Next = request.Next;
            else
                First = request.Next;
            if (request.Next is { } next)
                next.Previous = request.Previous;
            else
                _last = request.Previous;
            request.Next = request.Previous = null;
            Count--;
        }
    }
}
