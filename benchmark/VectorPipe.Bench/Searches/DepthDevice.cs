using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Bench.Searches;

/// <summary>A device that knows the mean number of reads in flight on all its queues, over time. Owns the device behind it.</summary>
/// <remarks>Thread-safe. Queues that were closed stay in the sum.</remarks>
internal sealed class DepthDevice(IDevice device) : IDevice
{
    private readonly Lock _lock = new();
    private readonly List<DepthQueue> _queues = [];

    /// <inheritdoc/>
    public string Name => device.Name;

    /// <inheritdoc/>
    public int FileCount => device.FileCount;

    /// <inheritdoc/>
    public int Alignment => device.Alignment;

    /// <summary>Time that all reads together have spent in flight.</summary>
    public TimeSpan ReadTime
    {
        get
        {
            lock (_lock)
                return Stopwatch.GetElapsedTime(0, _queues.Sum(queue => queue.ReadTicks));
        }
    }

    /// <inheritdoc/>
    public long LengthOf(int file) => device.LengthOf(file);

    /// <inheritdoc/>
    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        var queue = new DepthQueue(device.OpenQueue(options));
        lock (_lock)
            _queues.Add(queue);
        return queue;
    }

    /// <inheritdoc/>
    public void Dispose() => device.Dispose();
}
