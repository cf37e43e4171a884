using Microsoft.Extensions.Logging;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;

namespace VectorPipe.Devices.Uring;

/// <summary>Files read through io_uring: one ring per queue.</summary>
internal sealed unsafe class IoUringDevice : IDevice
{
    private const int RegisterAttempts = 10;

    private readonly DeviceFiles _files;
    private readonly DeviceOptions _options;
    private readonly IUringSystem _system;
    private readonly IoUringQueueLimits _limits;
    private readonly ILogger _logger;
    private readonly OpenQueues _queues = new();
    private int _hasLoggedUnregistered;

    public IoUringDevice(
        DeviceFiles files, DeviceOptions options, ILogger logger, IUringSystem? system = null, IoUringQueueLimits? limits = null)
    {
        _files = files;
        _options = options;
        _logger = logger;
        _system = system ?? LinuxUringSystem.Instance;
        _limits = limits ?? IoUringQueueLimits.Default;
    }

    public string Name => "uring";
    public int FileCount => _files.Count;
    public int Alignment => _files.Alignment;

    public long LengthOf(int file) => _files[file].Length;

    public IDeviceQueue OpenQueue(DeviceQueueOptions options) => _queues.Open(this, options, Open);

    public void Dispose()
    {
        if (_queues.Close(this))
            _files.Dispose();
    }

    private IoUringQueue Open(DeviceQueueOptions options)
    {
        options = options with { Capacity = Math.Min(options.Capacity, _options.QueueDepth ?? options.Capacity) };
        IoUringRing ring = IoUringSetup.Open(_system, options.Capacity, _options.Tuned.SqPoll ?? false, _options.Tuned.SqIdleMs ?? 0);
        try
        {
            bool hasFiles = ring.TryRegisterFiles(_files);
            if (options.SlabLength > 0 && _options.Tuned.RegisterBuffers != false)
                RegisterBuffers(ring, options);
            DeviceLog.RingOpened(_logger, _files.Path, options.Capacity, ring.SetupFlags, hasFiles, ring.HasRegisteredBuffers);
            return new IoUringQueue(ring, _files, options, _limits, _logger, _queues.Remove);
        }
        catch
        {
            ring.Close(isOwner: true, leakMappings: false);
            throw;
        }
    }

    private void RegisterBuffers(IoUringRing ring, DeviceQueueOptions slab)
    {
        // The kernel still charges the memory of rings closed a moment ago, so retry. A limit met once is not retried.
        int attempts = Volatile.Read(ref _hasLoggedUnregistered) == 0 ? RegisterAttempts : 1;
        int errno = ring.TryRegisterBuffers(slab.SlabAddress, (nuint)slab.SlabLength, attempts);
        if (errno == 0)
            return;
        if (_options.Tuned.RegisterBuffers == true)
            throw new DeviceException(
                "io_uring_register (buffers): raise the locked-memory limit (ulimit -l), or do not ask for registered buffers", errno);
        // Every queue meets the same limit: log it once.
        if (Interlocked.Exchange(ref _hasLoggedUnregistered, 1) != 0)
            return;
        string reason = Errno.Describe(errno);
        DeviceLog.BuffersUnregistered(_logger, _files.Path, reason);
    }
}
