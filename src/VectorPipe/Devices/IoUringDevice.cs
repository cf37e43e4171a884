using Microsoft.Extensions.Logging;

namespace VectorPipe.Devices;

/// <summary>A file read through io_uring: one ring for each queue.</summary>
internal sealed unsafe class IoUringDevice : IDevice
{
    private readonly DeviceFile _file;
    private readonly IUringSystem _system;
    private readonly IoUringQueueLimits _limits;
    private readonly ILogger _logger;
    private readonly OpenQueues _queues = new();

    /// <summary>Takes the file over.</summary>
    public IoUringDevice(DeviceFile file, ILogger logger, IUringSystem? system = null, IoUringQueueLimits? limits = null)
    {
        _file = file;
        _logger = logger;
        _system = system ?? LinuxUringSystem.Instance;
        _limits = limits ?? IoUringQueueLimits.Default;
    }

    /// <inheritdoc/>
    public string Name => "uring";

    /// <inheritdoc/>
    public long Length => _file.Length;

    /// <inheritdoc/>
    public int Alignment => _file.Alignment;

    /// <inheritdoc/>
    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        _queues.Add(this);
        try
        {
            IoUringRing ring = IoUringRing.Create(_system, options.Capacity);
            bool hasFile = ring.TryRegisterFile(_file.Descriptor);
            if (options.Buffers is { } buffers)
                RegisterBuffers(ring, buffers);
            DeviceLog.RingOpened(_logger, _file.Path, options.Capacity, ring.SetupFlags, hasFile, ring.HasRegisteredBuffers);
            return new IoUringQueue(ring, _file, options, _limits, _logger, _queues.Remove);
        }
        catch
        {
            _queues.Remove();
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_queues.Close(this))
            _file.Dispose();
    }

    private void RegisterBuffers(IoUringRing ring, NativeBuffer buffers)
    {
        int errno = ring.TryRegisterBuffers((nint)buffers.Pointer, buffers.Length);
        if (errno == 0)
            return;
        string reason = Errno.Describe(errno);
        DeviceLog.BuffersUnregistered(_logger, _file.Path, reason);
    }
}
