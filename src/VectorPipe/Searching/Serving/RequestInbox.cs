using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>Where any thread leaves requests for a run thread, until the run thread closes it.</summary>
/// <remarks>
/// Thread-safe. A request is either taken by the run thread or refused: closing succeeds only while nothing is in, and nothing comes in
/// after it.
/// </remarks>
internal sealed class RequestInbox
{
    private static readonly object _closed = new();

    private object? _newest;

    /// <summary>Whether nothing is in.</summary>
    public bool IsEmpty => Volatile.Read(ref _newest) is not PendingRequest;

    /// <summary>Leaves a request.</summary>
    /// <param name="request">The request; the run thread's from here on.</param>
    /// <param name="isFirst">Whether nothing was in: the run thread may sleep.</param>
    /// <returns>False if the inbox is closed: the request stays the caller's.</returns>
    public bool TryPost(PendingRequest request, out bool isFirst)
    {
        object? newest = Volatile.Read(ref _newest);
        while (newest != _closed)
        {
            request.Next = (PendingRequest?)newest;
            object? found = Interlocked.CompareExchange(ref _newest, request, newest);
            if (found == newest)
            {
                isFirst = newest is null;
                return true;
            }

            newest = found;
        }

        request.Next = null;
        isFirst = false;
        return false;
    }

    /// <summary>Takes all requests out: the oldest, which leads to the others.</summary>
    public PendingRequest? TakeAll()
    {
        if (IsEmpty)
            return null;

        // Only the run thread closes it, so what it takes out here are requests.
        var newest = (PendingRequest?)Interlocked.Exchange(ref _newest, null);
        PendingRequest? oldest = null;
        while (newest is not null)
        {
            PendingRequest? next = newest.Next;
            newest.Next = oldest;
            oldest = newest;
            newest = next;
        }

        return oldest;
    }

    /// <summary>Lets no more requests in.</summary>
    /// <returns>False if there is one to take out first.</returns>
    public bool TryClose() => Interlocked.CompareExchange(ref _newest, _closed, null) is var found && (found is null || found == _closed);
}
