using VectorPipe.Devices;

namespace VectorPipe.Tests.Faults;

/// <summary>A decorator that makes any device fail as a plan says. It owns the device.</summary>
/// <remarks>Everything that the plan does not touch is forwarded: name, files, alignment, capacity, counts, faults of its own.</remarks>
internal sealed class FaultDevice(IDevice inner) : IDevice
{
    private readonly List<FaultQueue> _queues = [];
    private volatile FaultPlan _plan = new();

    /// <summary>
    /// What goes wrong from now on, for all queues. Set it between two calls of the thread that uses the queues; if that thread is another
    /// one, it is in force with its next call.
    /// </summary>
    public FaultPlan Plan
    {
        get => _plan;
        set => _plan = value;
    }

    /// <summary>The queues that were opened, in order; thread-safe only while none is opened.</summary>
    public IReadOnlyList<FaultQueue> Queues => _queues;

    public string Name => inner.Name;

    public int FileCount => inner.FileCount;

    public int Alignment => inner.Alignment;

    public long LengthOf(int file) => inner.LengthOf(file);

    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        Plan.OnOpen();
        FaultQueue queue = new(inner.OpenQueue(options), this);
        lock (_queues)
            _queues.Add(queue);
        return queue;
    }

    public void Dispose() => inner.Dispose();
}
