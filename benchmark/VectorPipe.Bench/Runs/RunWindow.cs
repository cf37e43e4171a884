namespace VectorPipe.Bench.Runs;

/// <summary>The phases of a run, as its threads see them. Thread-safe.</summary>
internal sealed class RunWindow : IDisposable
{
    private readonly CountdownEvent _ready;
    private readonly ManualResetEventSlim _start = new();
    private readonly ManualResetEventSlim _failed = new();
    private int _phase = (int)RunPhase.WarmUp;

    /// <summary>A window for a number of threads.</summary>
    public RunWindow(int threads) => _ready = new CountdownEvent(threads);

    /// <summary>Where the run is.</summary>
    public RunPhase Phase => (RunPhase)Volatile.Read(ref _phase);

    /// <summary>Whether a thread has failed.</summary>
    public bool HasFailed => _failed.IsSet;

    /// <summary>A thread is prepared; once a thread, also if it failed.</summary>
    public void SignalReady() => _ready.Signal();

    /// <summary>A thread waits until all are prepared. The slowest preparation bounds the wait.</summary>
    public void WaitForStart() => _start.Wait();

    /// <summary>A thread has failed: the run ends.</summary>
    public void Fail()
    {
        _failed.Set();
        End();
    }

    /// <summary>Waits until all threads are prepared, and lets them run.</summary>
    public void StartAll()
    {
        _ready.Wait();
        _start.Set();
    }

    /// <summary>From now on operations count.</summary>
    public void Measure() => Interlocked.CompareExchange(ref _phase, (int)RunPhase.Measured, (int)RunPhase.WarmUp);

    /// <summary>From now on no operation is started.</summary>
    public void End() => Volatile.Write(ref _phase, (int)RunPhase.Ended);

    /// <summary>Lets time pass, in whole milliseconds and no less than was asked for; ends early if a thread fails.</summary>
    /// <exception cref="OperationCanceledException">The run was cancelled.</exception>
    public void Pass(TimeSpan time, CancellationToken cancellationToken) =>
        _failed.Wait(TimeSpan.FromMilliseconds(Math.Ceiling(time.TotalMilliseconds)), cancellationToken);

    /// <summary>Releases the events; no thread may wait for them.</summary>
    public void Dispose()
    {
        _ready.Dispose();
        _start.Dispose();
        _failed.Dispose();
    }
}
