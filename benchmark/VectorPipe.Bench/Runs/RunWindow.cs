namespace VectorPipe.Bench.Runs;

/// <summary>Moves the threads of a run through its phases. Thread-safe.</summary>
internal sealed class RunWindow : IDisposable
{
    private readonly CountdownEvent _ready;
    private readonly ManualResetEventSlim _start = new();
    private readonly ManualResetEventSlim _failed = new();
    private int _phase = (int)RunPhase.WarmUp;

    public RunWindow(int threads) => _ready = new CountdownEvent(threads);

    public RunPhase Phase => (RunPhase)Volatile.Read(ref _phase);

    public bool HasFailed => _failed.IsSet;

    /// <summary>Reports that a thread is prepared. Every thread calls it once, even after a failure.</summary>
    public void SignalReady() => _ready.Signal();

    /// <summary>Waits until all threads are prepared.</summary>
    public void WaitForStart() => _start.Wait();

    /// <summary>Ends the run because a thread has failed.</summary>
    public void Fail()
    {
        _failed.Set();
        End();
    }

    /// <summary>Waits until all threads are prepared, and starts them.</summary>
    public void StartAll()
    {
        _ready.Wait();
        _start.Set();
    }

    /// <summary>Lets operations count from here on.</summary>
    public void Measure() => Interlocked.CompareExchange(ref _phase, (int)RunPhase.Measured, (int)RunPhase.WarmUp);

    /// <summary>Stops the start of operations.</summary>
    public void End() => Volatile.Write(ref _phase, (int)RunPhase.Ended);

    /// <summary>Waits for a time, rounded up to milliseconds, or until a thread fails.</summary>
    public void Pass(TimeSpan time, CancellationToken cancellationToken) =>
        _failed.Wait(TimeSpan.FromMilliseconds(Math.Ceiling(time.TotalMilliseconds)), cancellationToken);

    public void Dispose()
    {
        _ready.Dispose();
        _start.Dispose();
        _failed.Dispose();
    }
}
