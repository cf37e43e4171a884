using System.Diagnostics;
using System.Runtime.ExceptionServices;
using VectorPipe.Devices;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Runs;

/// <summary>A run thread: executes operations and counts those that complete correctly during the measurement.</summary>
/// <remarks>Results are valid after <see cref="Join"/>; <see cref="Operations"/> may be read at any time.</remarks>
internal abstract class RunWorker
{
    private readonly RunWindow _window;
    private readonly Thread _thread;
    private long _operations;
    private DeviceCounters _before;
    private long? _cpuBefore;
    private long _inFlightTicks;
    private long _start;
    private bool _ended;

    protected RunWorker(RunWindow window)
    {
        _window = window;
        _thread = new Thread(Run) { Name = "vectorpipe bench", IsBackground = true };
    }

    /// <summary>Operations that completed correctly in the current phase.</summary>
    public long Operations => Volatile.Read(ref _operations);

    public LatencyHistogram Latencies { get; } = new();

    /// <summary>Time of the measurement.</summary>
    public TimeSpan Elapsed { get; private set; }

    /// <summary>Reads that the device accepted.</summary>
    public long Reads { get; private set; }

    /// <summary>System calls of the device queue.</summary>
    public long SystemCalls { get; private set; }

    /// <summary>Processor time of the thread; null if the operating system cannot tell.</summary>
    public long? CpuNs { get; private set; }

    /// <summary>Sum of the times that reads were in flight; 0 if the worker does not see its reads.</summary>
    public double InFlightSeconds => _inFlightTicks / (double)Stopwatch.Frequency;

    /// <summary>The error that ended the thread, if any.</summary>
    public ExceptionDispatchInfo? Error { get; private set; }

    /// <summary>Whether operations may start.</summary>
    protected bool MayStart => _window.Phase != RunPhase.Ended;

    protected abstract DeviceCounters Counters { get; }

    /// <summary>Operations per second of a number of them; 0 if an operation took the whole measurement.</summary>
    public double RateOf(long operations) => Elapsed > TimeSpan.Zero ? operations / Elapsed.TotalSeconds : 0;

    public void Start() => _thread.Start();

    public void Join() => _thread.Join();

    /// <summary>Prepares the thread, on the thread.</summary>
    protected abstract void Open();

    /// <summary>Begins the run: paced operations are due from here on.</summary>
    protected abstract void Begin();

    /// <summary>Starts operations and completes some, in a short time.</summary>
    protected abstract void Turn();

    /// <summary>Completes operations in flight and releases everything, on the thread, also after a failure.</summary>
    protected abstract void Close();

    /// <summary>Begins the measurement: counts of a derived worker start anew.</summary>
    protected virtual void Restart()
    {
    }

    /// <summary>Counts operations that completed correctly, each with a latency.</summary>
    protected void Complete(long latencyNs, int count = 1)
    {
        if (_ended)
            return;
        Latencies.Record(latencyNs, count);
        Volatile.Write(ref _operations, _operations + count);
    }

    /// <summary>Counts an untimed operation that completed correctly.</summary>
    protected void Count()
    {
        if (!_ended)
            Volatile.Write(ref _operations, _operations + 1);
    }

    /// <summary>Counts the time that a read was in flight during the measurement, from two readings of <see cref="Stopwatch"/>.</summary>
    protected void Landed(long issued, long now)
    {
        if (!_ended)
            _inFlightTicks += now - Math.Max(issued, _start);
    }

    private void Run()
    {
        bool isReady = false;
        try
        {
            Open();
            isReady = true;
            _window.SignalReady();
            _window.WaitForStart();
            Begin();
            while (_window.Phase == RunPhase.WarmUp)
                Turn();
            BeginMeasurement();
            while (_window.Phase == RunPhase.Measured)
                Turn();
            EndMeasurement();
        }
        catch (Exception e)
        {
            Error = ExceptionDispatchInfo.Capture(e);
            _window.Fail();
        }
        finally
        {
            if (!isReady)
                _window.SignalReady();
            CloseAfterAll();
        }
    }

    private void BeginMeasurement()
    {
        Latencies.Clear();
        Restart();
        Volatile.Write(ref _operations, 0);
        _inFlightTicks = 0;
        _before = Counters;
        _cpuBefore = Clock.ThreadCpuNs();
        _start = Stopwatch.GetTimestamp();
    }

    private void EndMeasurement()
    {
        Elapsed = Stopwatch.GetElapsedTime(_start);
        _ended = true;
        CpuNs = Clock.ThreadCpuNs() - _cpuBefore;
        DeviceCounters after = Counters;
        Reads = after.Reads - _before.Reads;
        SystemCalls = after.SystemCalls - _before.SystemCalls;
    }

    private void CloseAfterAll()
    {
        // An error of closing must not hide an earlier one.
        try
        {
            Close();
        }
        catch (Exception e)
        {
            Error ??= ExceptionDispatchInfo.Capture(e);
        }
    }
}
