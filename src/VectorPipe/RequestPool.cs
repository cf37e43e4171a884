namespace VectorPipe;

/// <summary>Requests of an index that are not in use: grows to the number of queries that were ever awaited at once, up to a bound.</summary>
/// <remarks>Thread-safe. A lock is taken twice a query, which is nothing beside the query's reads.</remarks>
internal sealed class RequestPool
{
    private const int MaxIdle = 4096;

    private readonly Lock _lock = new();
    private readonly Stack<AsyncSearchRequest> _idle = new(64);

    /// <summary>An idle request, or a new one.</summary>
    public AsyncSearchRequest Rent()
    {
        AsyncSearchRequest? request;
        lock (_lock)
            _idle.TryPop(out request);
        request ??= new AsyncSearchRequest(this);
        request.Rent();
        return request;
    }

    /// <summary>Takes a request back.</summary>
    public void Return(AsyncSearchRequest request)
    {
        lock (_lock)
        {
            if (_idle.Count < MaxIdle)
                _idle.Push(request);
        }
    }
}
