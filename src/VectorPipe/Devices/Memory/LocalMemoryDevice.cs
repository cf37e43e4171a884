using Microsoft.Extensions.Logging;

namespace VectorPipe.Devices.Memory;

/// <summary>Files copied to native memory behind the device contract: the upper bound for a disk, and a device for tests.</summary>
internal sealed class LocalMemoryDevice : IDevice
{
    private readonly MemoryImage _image;
    private readonly LocalMemoryOptions _options;
    private readonly OpenQueues _queues = new();
    private readonly MemoryServer[] _servers;
    private readonly ServiceTimes _times;
    private uint _nextServer;

    public LocalMemoryDevice(IReadOnlyList<string> paths, LocalMemoryOptions options, ILogger logger)
        : this(new MemoryImage(paths), options, logger)
    {
    }

    public LocalMemoryDevice(ReadOnlySpan<byte> bytes, LocalMemoryOptions options, ILogger logger)
        : this(new MemoryImage(bytes), options, logger)
    {
    }

    private LocalMemoryDevice(MemoryImage image, LocalMemoryOptions options, ILogger logger)
    {
        _image = image;
        _options = options;
        try
        {
            options.Validate();
        }
        catch
        {
            image.Dispose();
            throw;
        }

        _times = new ServiceTimes(options.LatencyUs, options.ReadsPerSecond);
        _servers = new MemoryServer[options.Mode == LocalMemoryMode.Ring ? options.Threads : 0];
        for (int i = 0; i < _servers.Length; i++)
            _servers[i] = new MemoryServer(image, i, logger);
    }

    public string Name => _options.Mode == LocalMemoryMode.Ring ? "memory-ring" : "memory";
    public int FileCount => _image.FileCount;
    public int Alignment => 1;

    public long LengthOf(int file) => _image.LengthOf(file);

    public IDeviceQueue OpenQueue(DeviceQueueOptions options) => _queues.Open(this, options, Open);

    public void Dispose()
    {
        if (!_queues.Close(this))
            return;
        bool areEnded = true;
        foreach (MemoryServer server in _servers)
        {
            bool isEnded = server.Stop();
            if (isEnded)
                server.Dispose();
            areEnded &= isEnded;
        }

        // A server that has not ended still reads the bytes: leak them.
        if (areEnded)
            _image.Dispose();
    }

    private DeviceQueue Open(DeviceQueueOptions options)
    {
        int capacity = Math.Min(options.Capacity, LocalMemoryOptions.RoundUpCapacity(_options.RingCapacity));
        if (_options.Mode == LocalMemoryMode.Inline)
            return new InlineMemoryQueue(_image, _times, options with { Capacity = capacity }, _queues.Remove);
        MemoryServer server = _servers[(Interlocked.Increment(ref _nextServer) - 1) % (uint)_servers.Length];
        return new MemoryRingQueue(server, _times, capacity, options, _queues.Remove);
    }
}
