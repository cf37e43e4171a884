namespace VectorPipe.Measuring.Searches;

/// <summary>Brings the threads of a measurement to a common start and keeps them until everything is counted.</summary>
/// <remarks>
/// Thread-safe. Every thread passes each gate exactly once, also when it failed; so no wait outlasts the slowest thread, whose own
/// waits are bounded by its token and the device's timeouts.
/// </remarks>
internal sealed class SearchGates : IDisposable
{
    private readonly CountdownEvent _ready;
    private readonly CountdownEvent _finished;
    private readonly ManualResetEventSlim _start = new();
    private readonly ManualResetEventSlim _release = new();

    /// <summary>Gates for a number of threads.</summary>
    public SearchGates(int threads)
    {
        _ready = new CountdownEvent(threads);
        _finished = new CountdownEvent(threads);
    }

    /// <summary>A thread is warm.</summary>
    public void SignalReady() => _ready.Signal();

    /// <summary>A thread waits for the start.</summary>
    public void WaitForStart() => _start.Wait();

    /// <summary>A thread has answered its queries.</summary>
    public void SignalFinished() => _finished.Signal();

    /// <summary>A thread waits, before it tears anything down, until everything is counted.</summary>
    public void WaitForRelease() => _release.Wait();

    /// <summary>Waits until all threads are warm.</summary>
    public void WaitUntilReady() => _ready.Wait();

    /// <summary>Lets all threads run, and waits until all have answered.</summary>
    public void RunAll()
    {
        _start.Set();
        _finished.Wait();
    }

    /// <summary>Lets all threads end.</summary>
    public void Release() => _release.Set();

    /// <summary>Releases the gates; no thread may be at one.</summary>
    public void Dispose()
    {
        _ready.Dispose();
        _finished.Dispose();
        _start.Dispose();
        _release.Dispose();
    }
}
