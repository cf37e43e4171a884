using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using VectorPipe.Devices;
using VectorPipe.Devices.Memory;

namespace VectorPipe.Bench.Nodes;

/// <summary>A queue that keeps finished reads until they are due.</summary>
internal sealed class RatedQueue : DeviceQueue
{
    private readonly IDeviceQueue _queue;
    private readonly ServiceTimes _times;

    // When the reads that are not due yet are: one time for each that the inner queue has or has finished, earliest first.
    private readonly Queue<long> _due;
    private readonly Queue<DeviceRead> _finished;
    private readonly Queue<DeviceRead> _ready;
    private readonly DeviceRead[] _landed;

    public RatedQueue(IDevice device, IDeviceQueue queue, ServiceTimes times, DeviceQueueOptions options)
        : base(device, options, static () => { })
    {
        _queue = queue;
        _times = times;
        _due = new Queue<long>(options.Capacity);
        _finished = new Queue<DeviceRead>(options.Capacity);
        _ready = new Queue<DeviceRead>(options.Capacity);
        _landed = new DeviceRead[options.Capacity];
    }

    public override bool IsFaulted => _queue.IsFaulted;

    protected override long SystemCalls => _queue.Counters.SystemCalls;

    protected override DeviceException FaultError() => _queue.FaultCause ?? base.FaultError();

    protected override void Accept(DeviceRead read)
    {
        bool isAccepted = _queue.TryEnqueue(read);
        Debug.Assert(isAccepted, "the inner queue has fewer reads than this one, and the same capacity");
        _due.Enqueue(_times.Take());
        AssertInvariants();
    }

    protected override void Start() => _queue.Submit();

    protected override void Gather(int wanted, TimeSpan timeout)
    {
        long end = Stopwatch.GetTimestamp() + (long)(timeout.TotalSeconds * Stopwatch.Frequency);
        if (wanted > 0)
            _queue.Submit();
        while (true)
        {
            Land(_queue.Reap(_landed, 0, timeout));
            TimeSpan left = Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), end);
            if (_ready.Count >= wanted || left <= TimeSpan.Zero)
                return;
            if (_finished.Count > 0)
                Sleep(left);
            else
                Land(_queue.Reap(_landed, 1, left));
        }
    }

    protected override bool TryTake([NotNullWhen(true)] out DeviceRead? read) => _ready.TryDequeue(out read);

    protected override void Close(bool isOwner)
    {
        if (!isOwner)
            _queue.Disown();
        _queue.Dispose();
        BuffersMayBeWritten = _queue.BuffersMayBeWritten;
    }

    // Any finished read may take the next time: the order in which reads land is the inner device's.
    private void Land(int count)
    {
        foreach (DeviceRead read in _landed.AsSpan(0, count))
            _finished.Enqueue(read);
        long now = Stopwatch.GetTimestamp();
        while (_finished.Count > 0 && _due.Peek() <= now)
        {
            _due.Dequeue();
            _ready.Enqueue(_finished.Dequeue());
        }

        AssertInvariants();
    }

    // A sleep takes a millisecond at least. The times of the reads behind it stay as they are, so the rate does, too.
    private void Sleep(TimeSpan longest)
    {
        TimeSpan due = Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), _due.Peek());
#pragma warning disable RS0030 // Nothing happens before a read is due: there is no event to wait for.
        Thread.Sleep(TimeSpan.FromMilliseconds(Math.Max(1, Math.Min(due.TotalMilliseconds, longest.TotalMilliseconds))));
#pragma warning restore RS0030
    }

    [Conditional("DEBUG")]
    private void AssertInvariants() => Debug.Assert(
        _due.Count == _queue.InFlight + _finished.Count, "each read that was not handed over has a time at which it is due");
}
