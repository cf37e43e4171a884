using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Bench.Searches;

/// <summary>A device that sums up the time that its reads are in flight. Owns the inner device.</summary>
/// <remarks>Thread-safe. Closed queues stay in the sum.</remarks>
internal sealed class DepthDevice(IDevice device) : IDevice
{
    private readonly Lock _lock = new();
    private readonly List<DepthQueue> _queues = [];

    public string Name => device.Name;

    public int FileCount => device.FileCount;

    public int Alignment => device.Alignment;

    /// <summary>The sum of the times that reads were in flight.</summary>
    public TimeSpan ReadTime
    {
        get
        {
            lock (_lock)
                return Stopwatch.GetElapsedTime(0, _queues.Sum(queue => queue.ReadTicks));
        }
    }

    public long LengthOf(int file) => device.LengthOf(file);

    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        var queue = new DepthQueue(device.OpenQueue(options));
        lock (_lock)
            _queues.Add(queue);
        return queue;
    }

    public void Dispose() => device.Dispose();
}
