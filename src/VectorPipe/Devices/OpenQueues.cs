namespace VectorPipe.Devices;

/// <summary>Counts a device's open queues, so that the device cannot be disposed under them. Thread-safe.</summary>
internal sealed class OpenQueues
{
    private readonly Lock _gate = new();
    private int _count;
    private bool _isClosed;

    /// <summary>Opens a queue with checked options, and counts it.</summary>
    public IDeviceQueue Open(IDevice device, DeviceQueueOptions options, Func<DeviceQueueOptions, IDeviceQueue> open)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, device);
            _count++;
        }

        try
        {
            return open(options);
        }
        catch
        {
            Remove();
            throw;
        }
    }

    public void Remove()
    {
        lock (_gate)
            _count--;
    }

    /// <summary>Lets no more queues open.</summary>
    /// <returns>True for the first call: the caller releases the device.</returns>
    public bool Close(IDevice device)
    {
        lock (_gate)
        {
            if (_count > 0)
                throw new InvalidOperationException($"Expected no open queue on the {device.Name} device at its disposal, found {_count}.");
            bool isFirst = !_isClosed;
            _isClosed = true;
            return isFirst;
        }
    }
}
