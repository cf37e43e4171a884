using System.Diagnostics;
using System.Runtime.ExceptionServices;
using VectorPipe.Devices;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Runs;

/// <summary>One run thread: does operations turn by turn, and counts those that complete correctly while the run is measured.</summary>
/// <remarks>The members for results are valid once the thread was joined; <see cref="Operations"/> may be read at any time.</remarks>
internal abstract class RunWorker
{
    private readonly RunWindow _window;
    private readonly Thread _thread;
    private long _operations;
    private DeviceCounters _before;
    private long? _cpuBefore;
    private long _inFlightTicks;
    private bool _ended;

    /// <summary>A worker, not yet started.</summary>
    protected RunWorker(RunWindow window)
    {
        _window = window;
        _thread = new Thread(Run) { Name = "vectorpipe bench", IsBackground = true };
    }

    /// <summary>Operations that completed correctly in the present phase.</summary>
    public long Operations => Volatile.Read(ref _operations);

    /// <summary>Their latencies.</summary>
    public LatencyHistogram Latencies { get; } = new();

    /// <summary>How long the thread measured.</summary>
    public TimeSpan Elapsed { get; private set; }

    /// <summary>Reads accepted by the device meanwhile.</summary>
    public long Reads { get; private set; }

    /// <summary>System calls of the device queue meanwhile.</summary>
    public long SystemCalls { get; private set; }

    /// <summary>Processor time of the thread meanwhile; null where the operating system does not say.</summary>
    public long? CpuNs { get; private set; }

    /// <summary>Time that all reads together spent in flight meanwhile; 0 if the worker does not see its reads.</summary>
    public double InFlightSeconds => _inFlightTicks / (double)Stopwatch.Frequency;

    /// <summary>What went wrong, if anything.</summary>
    public ExceptionDispatchInfo? Error { get; private set; }

    /// <summary>Whether operations may be started.</summary>
    protected bool MayStart => _window.Phase != RunPhase.Ended;

    /// <summary>Counts of the worker's device queue.</summary>
    protected abstract DeviceCounters Counters { get; }

    /// <summary>Starts the thread.</summary>
    public void Start() => _thread.Start();

    /// <summary>Waits until the thread has ended.</summary>
    public void Join() => _thread.Join();

    /// <summary>Opens what the thread needs, on the thread.</summary>
    protected abstract void Open();

    /// <summary>The thread begins to run: paced operations are due from now on.</summary>
    protected abstract void Begin();

    /// <summary>Starts operations and completes some; never takes long.</summary>
    protected abstract void Turn();

    /// <summary>Completes what is under way and closes everything, on the thread; also after a failure.</summary>
    protected abstract void Close();

    /// <summary>Counts operations that completed correctly.</summary>
    /// <param name="latencyNs">What each of them took.</param>
    /// <param name="count">How many.</param>
    protected void Complete(long latencyNs, int count = 1)
    {
        if (_ended)
            return;
        Latencies.Record(latencyNs, count);
        Volatile.Write(ref _operations, _operations + count);
    }

    /// <summary>Counts an operation that completed correctly and was not timed.</summary>
    protected void Count()
    {
        if (!_ended)
            Volatile.Write(ref _operations, _operations + 1);
    }

    /// <summary>Counts the time that a read was in flight, in <see cref="Stopwatch"/> ticks.</summary>
    protected void Landed(long ticks)
    {
        if (!_ended)
            _inFlightTicks += ticks;
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
            long start = BeginMeasurement();
            while (_window.Phase == RunPhase.Measured)
                Turn();
            EndMeasurement(start);
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

    private long BeginMeasurement()
    {
        Latencies.Clear();
        Volatile.Write(ref _operations, 0);
        _inFlightTicks = 0;
        _before = Counters;
        _cpuBefore = Clock.ThreadCpuNs();
        return Stopwatch.GetTimestamp();
    }

    private void EndMeasurement(long start)
    {
        Elapsed = Stopwatch.GetElapsedTime(start);
        _ended = true;
        CpuNs = Clock.ThreadCpuNs() - _cpuBefore;
        DeviceCounters after = Counters;
        Reads = after.Reads - _before.Reads;
        SystemCalls = after.SystemCalls - _before.SystemCalls;
    }

    private void CloseAfterAll()
    {
        // What completes from here on was not measured, and an error of closing must not hide the one that led here.
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
