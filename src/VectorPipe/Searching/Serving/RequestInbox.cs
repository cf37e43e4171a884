using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>Takes requests from any thread for a run thread, until the run thread closes it.</summary>
/// <remarks>Thread-safe. It closes only while it is empty, and stays empty: each request is taken or refused.</remarks>
internal sealed class RequestInbox
{
    private static readonly object _closed = new();

    private object? _newest;

    public bool IsEmpty => Volatile.Read(ref _newest) is not PendingRequest;

    /// <summary>Posts a request.</summary>
    /// <param name="request">The request; the run thread owns it from here on.</param>
    /// <param name="isFirst">Whether the inbox was empty: the run thread may sleep.</param>
    /// <returns>False if the inbox is closed: the caller keeps the request.</returns>
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

    /// <summary>Takes all requests; returns the oldest, which leads to the others.</summary>
    public PendingRequest? TakeAll()
    {
        if (IsEmpty)
            return null;

        // Only the run thread closes the inbox, so here it finds requests.
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

    /// <summary>Refuses all further requests. False if there is one to take first.</summary>
    public bool TryClose() => Interlocked.CompareExchange(ref _newest, _closed, null) is var found && (found is null || found == _closed);
}
