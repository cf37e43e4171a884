using VectorPipe.Searching;

namespace VectorPipe;

/// <summary>Requests of an index that are not in use: grows to the number that were ever awaited at once, up to a bound.</summary>
/// <typeparam name="T">The kind of request.</typeparam>
/// <remarks>Thread-safe. A lock is taken twice a request, which is nothing beside the request's reads.</remarks>
internal sealed class RequestPool<T>
    where T : PendingRequest
{
    private const int MaxIdle = 4096;

    private readonly Lock _lock = new();
    private readonly Stack<T> _idle = new(64);
    private readonly Func<RequestPool<T>, T> _create;
    private int _rented;

    /// <param name="create">Makes a request that comes back to the pool it is given.</param>
    public RequestPool(Func<RequestPool<T>, T> create) => _create = create;

    /// <summary>Requests that were rented and have not come back: under way, or with a result that was not disposed.</summary>
    public int Rented
    {
        get
        {
            lock (_lock)
                return _rented;
        }
    }

    /// <summary>An idle request, or a new one.</summary>
    public T Rent()
    {
        T? request;
        lock (_lock)
        {
            _rented++;
            _idle.TryPop(out request);
        }

        return request ?? _create(this);
    }

    /// <summary>Takes a request back.</summary>
    public void Return(T request)
    {
        lock (_lock)
        {
            _rented--;
            if (_idle.Count < MaxIdle)
                _idle.Push(request);
        }
    }
}
