using VectorPipe.Devices;

namespace VectorPipe.Tests.Faults;

/// <summary>A decorator that makes any device fail by a plan. It owns the device.</summary>
/// <remarks>It forwards everything else: name, files, alignment, capacity, counts, and the device's own faults.</remarks>
internal sealed class FaultDevice(IDevice inner) : IDevice
{
    private readonly List<FaultQueue> _queues = [];
    private volatile FaultPlan _plan = new();

    /// <summary>The plan for all queues from now on.</summary>
    /// <remarks>Set it between two calls of the thread that uses the queues; another thread sees it at its next call.</remarks>
    public FaultPlan Plan
    {
        get => _plan;
        set => _plan = value;
    }

    /// <summary>The opened queues in order; thread-safe only while none is opened.</summary>
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
