using Microsoft.AspNetCore.Http;

namespace VectorPipe.Server.Dashboard;

/// <summary>Bounds what the dashboard does at once, so that the clients keep most of the machine.</summary>
/// <param name="running">Most that run.</param>
/// <param name="waiting">Most that wait; further ones are refused.</param>
internal sealed class WorkGate(int running, int waiting) : IDisposable
{
    private readonly SemaphoreSlim _places = new(running, running);
    private readonly int _most = running + waiting;
    private int _inside;

    /// <summary>Runs when there is a place.</summary>
    /// <exception cref="DashboardException">Too many wait.</exception>
    public async Task<T> RunAsync<T>(Func<Task<T>> work, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _inside) > _most)
        {
            Interlocked.Decrement(ref _inside);
            throw new DashboardException(
                StatusCodes.Status503ServiceUnavailable, $"BUSY expected at most {_most} requests of the dashboard at once, found more");
        }

        try
        {
            await _places.WaitAsync(cancellationToken);
            try
            {
                return await work();
            }
            finally
            {
                _places.Release();
            }
        }
        finally
        {
            Interlocked.Decrement(ref _inside);
        }
    }

    public void Dispose() => _places.Dispose();
}
