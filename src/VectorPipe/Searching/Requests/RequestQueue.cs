using System.Diagnostics.CodeAnalysis;

namespace VectorPipe.Searching.Requests;

/// <summary>Requests in the order of arrival, linked through themselves, with a cursor that goes round them.</summary>
/// <remarks>Not thread-safe; allocates nothing. A request is in one queue at a time.</remarks>
internal sealed class RequestQueue
{
    private PendingRequest? _first;
    private PendingRequest? _last;
    private PendingRequest? _cursor;

    /// <summary>Requests in the queue.</summary>
    public int Count { get; private set; }

    /// <summary>Adds a request at the end.</summary>
    public void Enqueue(PendingRequest request)
    {
        request.Next = null;
        request.Previous = _last;
        if (_last is null)
            _first = request;
        else
            _last.Next = request;
        _last = request;
        Count++;
    }

    /// <summary>Takes the request that has waited longest.</summary>
    public bool TryDequeue([NotNullWhen(true)] out PendingRequest? request)
    {
        request = _first;
        if (request is null)
            return false;
        Remove(request);
        return true;
    }

    /// <summary>Steps to the next request, which stays in the queue.</summary>
    /// <returns>False behind the last; the next step is the first again.</returns>
    public bool TryVisit([NotNullWhen(true)] out PendingRequest? request)
    {
        request = _cursor;
        _cursor = request is null ? _first : request.Next;
        return request is not null;
    }

    /// <summary>Takes a request of this queue out, wherever it stands; the others keep their places.</summary>
    public void Remove(PendingRequest request)
    {
        if (_cursor == request)
            _cursor = request.Next;
        if (request.Previous is { } previous)
            previous.Next = request.Next;
        else
            _first = request.Next;
        if (request.Next is { } next)
            next.Previous = request.Previous;
        else
            _last = request.Previous;
        request.Next = request.Previous = null;
        Count--;
    }
}
