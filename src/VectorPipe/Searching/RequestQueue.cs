using System.Diagnostics.CodeAnalysis;

namespace VectorPipe.Searching;

/// <summary>Requests that wait for a slot, in the order of arrival; linked through the requests themselves, so that waiting allocates nothing.</summary>
/// <typeparam name="T">The kind of request.</typeparam>
/// <remarks>Not thread-safe. A request is in one queue at a time.</remarks>
internal sealed class RequestQueue<T>
    where T : PendingRequest
{
    private T? _first;
    private T? _last;

    /// <summary>Requests that wait.</summary>
    public int Count { get; private set; }

    /// <summary>Adds a request at the end.</summary>
    public void Enqueue(T request)
    {
        if (_last is null)
            _first = request;
        else
            _last.Next = request;
        _last = request;
        Count++;
    }

    /// <summary>Takes the request that has waited longest.</summary>
    public bool TryDequeue([NotNullWhen(true)] out T? request)
    {
        request = _first;
        if (request is null)
            return false;
        _first = (T?)request.Next;
        request.Next = null;
        if (_first is null)
            _last = null;
        Count--;
        return true;
    }

    /// <summary>Fails those that were cancelled, wherever they stand; the others keep their places.</summary>
    public void FailCancelled()
    {
        T? before = null;
        T? request = _first;
        while (request is not null)
        {
            var next = (T?)request.Next;
            if (request.CancellationToken.IsCancellationRequested)
            {
                Unlink(request, before, next);
                request.FailIfCancelled();
            }
            else
            {
                before = request;
            }

            request = next;
        }
    }

    /// <summary>Fails all.</summary>
    public void FailAll(Exception error)
    {
        while (TryDequeue(out T? request))
            request.Fail(error);
    }

    /// <summary>Takes a request out, before it ends: it may be in use again, and in another queue, as soon as it has.</summary>
    private void Unlink(T request, T? before, T? next)
    {
        if (before is null)
            _first = next;
        else
            before.Next = next;
        if (next is null)
            _last = before;
        request.Next = null;
        Count--;
    }
}
