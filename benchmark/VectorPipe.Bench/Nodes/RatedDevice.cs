using VectorPipe.Devices;
using VectorPipe.Devices.Memory;

namespace VectorPipe.Bench.Nodes;

/// <summary>A device that hands reads back at a given rate at most, whatever the one under it could do. Owns the inner device.</summary>
/// <remarks>
/// Threads sleep until a read is due, so nodes that share a few cores wait for their devices and not for each other. Thread-safe.
/// </remarks>
/// <param name="device">The device that reads.</param>
/// <param name="times">When reads are due. Devices that share one have the rate together.</param>
internal sealed class RatedDevice(IDevice device, ServiceTimes times) : IDevice
{
    public string Name => $"rated {device.Name}";

    public string? FallbackReason => device.FallbackReason;

    public int FileCount => device.FileCount;

    public int Alignment => device.Alignment;

    public long LengthOf(int file) => device.LengthOf(file);

    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        IDeviceQueue queue = device.OpenQueue(options);
        try
        {
            return new RatedQueue(this, queue, times, options with { Capacity = queue.Capacity });
        }
        catch
        {
            queue.Dispose();
            throw;
        }
    }

    public void Dispose() => device.Dispose();
}
