namespace VectorPipe.Devices;

/// <summary>Counts a device's open queues, so that the device cannot be disposed under them. Thread-safe.</summary>
internal sealed class OpenQueues
{
    private readonly Lock _gate = new();
    private int _count;
    private bool _isClosed;

    /// <summary>Counts a queue that is about to open.</summary>
    /// <exception cref="ObjectDisposedException">The device is disposed.</exception>
    public void Add(IDevice device)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, device);
            _count++;
        }
    }

    public void Remove()
    {
        lock (_gate)
            _count--;
    }

    /// <summary>Lets no more queues open.</summary>
    /// <returns>True for the first call: the caller releases the device.</returns>
    /// <exception cref="InvalidOperationException">Queues are open.</exception>
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
