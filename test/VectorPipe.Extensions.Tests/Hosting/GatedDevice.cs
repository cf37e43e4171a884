using VectorPipe.Devices;

namespace VectorPipe.Extensions.Tests.Hosting;

/// <summary>A device that holds up a thread which opens a queue until the gate opens.</summary>
/// <remarks>It owns the device.</remarks>
internal sealed class GatedDevice(IDevice inner, ManualResetEventSlim gate) : IDevice
{
    /// <summary>Set when a thread waits at the gate.</summary>
    public ManualResetEventSlim Entered { get; } = new();

    public string Name => inner.Name;

    public int FileCount => inner.FileCount;

    public int Alignment => inner.Alignment;

    public long LengthOf(int file) => inner.LengthOf(file);

    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        Entered.Set();
        gate.Wait();
        return inner.OpenQueue(options);
    }

    public void Dispose() => inner.Dispose();
}
