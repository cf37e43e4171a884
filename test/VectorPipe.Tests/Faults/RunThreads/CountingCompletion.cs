using VectorPipe.Searching.Requests;

namespace VectorPipe.Tests.Faults.RunThreads;

/// <summary>Counts the requests that have ended; any thread may wait for a number of them.</summary>
internal sealed class CountingCompletion : IRequestCompletion
{
    private readonly object _lock = new();
    private int _ended;
    private int _failures;

    /// <summary>Requests that have ended with an error.</summary>
    public int Failures => Volatile.Read(ref _failures);

    /// <summary>The last error.</summary>
    public Exception? Error { get; private set; }

    public void OnCompleted(PendingRequest request)
    {
        lock (_lock)
        {
            _ended++;
            if (request.Error is not null)
                _failures++;
            Error = request.Error ?? Error;
            Monitor.PulseAll(_lock);
        }
    }

    /// <summary>Waits until a number of requests have ended.</summary>
    public void WaitFor(int ended)
    {
        lock (_lock)
        {
            while (_ended < ended)
                Monitor.Wait(_lock);
        }
    }
}
