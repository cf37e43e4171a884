using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>The idle requests of an index: as many as were ever awaited at once, up to a bound.</summary>
/// <remarks>Thread-safe. Two locks a request cost nothing beside the request's reads.</remarks>
/// <param name="create">Makes a request.</param>
/// <param name="result">Makes the result of an answered request.</param>
internal sealed class RequestPool<TRequest, TResult>(Func<IRequestCompletion, TRequest> create, Func<TRequest, TResult> result)
    where TRequest : PendingRequest
{
    private const int MaxIdle = 4096;

    private readonly Lock _lock = new();
    private readonly Stack<AwaitedRequest<TRequest, TResult>> _idle = new(64);
    private int _rented;

    /// <summary>Requests that were rented and have not come back.</summary>
    public int Rented
    {
        get
        {
            lock (_lock)
                return _rented;
        }
    }

    public AwaitedRequest<TRequest, TResult> Rent()
    {
        AwaitedRequest<TRequest, TResult>? request;
        lock (_lock)
            _idle.TryPop(out request);
        request ??= new AwaitedRequest<TRequest, TResult>(this, create, result);
        request.Rent();
        lock (_lock)
            _rented++;
        return request;
    }

    public void Return(AwaitedRequest<TRequest, TResult> request)
    {
        lock (_lock)
        {
            _rented--;
            if (_idle.Count < MaxIdle)
                _idle.Push(request);
        }
    }
}
