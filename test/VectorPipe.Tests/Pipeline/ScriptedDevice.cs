using VectorPipe.Devices;

namespace VectorPipe.Tests.Pipeline;

/// <summary>A device whose answers the test chooses. It opens one queue.</summary>
internal sealed class ScriptedDevice : IDevice
{
    private ScriptedQueue? _queue;

    public string Name => "scripted";

    public int FileCount => 1;

    public long LengthOf(int file) => long.MaxValue;

    public int Alignment { get; init; } = 512;

    /// <summary>The most reads of the queue; null for the requested capacity.</summary>
    public int? QueueCapacity { get; init; }

    public ScriptedQueue Queue => _queue ?? throw new InvalidOperationException("No session has opened the queue yet.");

    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        options.Validate();
        if (_queue is not null)
            throw new InvalidOperationException("A session opens one queue.");
        return _queue = new ScriptedQueue(options, Alignment, Math.Min(options.Capacity, QueueCapacity ?? options.Capacity));
    }

    public void Dispose()
    {
        if (_queue is { IsDisposed: false })
            throw new InvalidOperationException("A queue is open.");
    }
}
