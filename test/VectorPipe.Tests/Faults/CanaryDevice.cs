using VectorPipe.Devices;

namespace VectorPipe.Tests.Faults;

/// <summary>A decorator that detects writes of a device into buffers that it does not own. It owns the device.</summary>
internal sealed class CanaryDevice(IDevice inner) : IDevice
{
    public string Name => inner.Name;

    public int FileCount => inner.FileCount;

    public int Alignment => inner.Alignment;

    public long LengthOf(int file) => inner.LengthOf(file);

    public IDeviceQueue OpenQueue(DeviceQueueOptions options) => new CanaryQueue(inner.OpenQueue(options));

    public void Dispose() => inner.Dispose();
}
