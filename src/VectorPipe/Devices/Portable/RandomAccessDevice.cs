using Microsoft.Extensions.Logging;
using VectorPipe.Model.Open;

namespace VectorPipe.Devices.Portable;

/// <summary>Files read by threads with blocking calls: any operating system, about twice the processor time of io_uring.</summary>
internal sealed class RandomAccessDevice : IDevice
{
    /// <summary>The most threads by default: a fast disk reaches most of its rate with 32 callers.</summary>
    public const int DefaultThreads = 32;

    private readonly DeviceFiles _files;
    private readonly BlockingReaders _readers;
    private readonly OpenQueues _queues = new();
    private readonly int _queueDepth;
    private readonly ILogger _logger;

    /// <summary>Takes the files over.</summary>
    public RandomAccessDevice(DeviceFiles files, DeviceOptions options, ILogger logger)
    {
        int threads = options.Tuned.Threads ?? DefaultThreads;
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(threads, 1024);
        _files = files;
        _queueDepth = options.QueueDepth ?? int.MaxValue;
        _logger = logger;
        _readers = new BlockingReaders(files, threads);
    }

    public string Name => "portable";
    public string? FallbackReason { get; init; }
    public int FileCount => _files.Count;
    public int Alignment => _files.Alignment;

    public long LengthOf(int file) => _files[file].Length;

    public IDeviceQueue OpenQueue(DeviceQueueOptions options) => _queues.Open(this, options, checkedOptions => new RandomAccessQueue(
        _readers, _files, checkedOptions with { Capacity = Math.Min(checkedOptions.Capacity, _queueDepth) }, _logger, _queues.Remove));

    public void Dispose()
    {
        if (_queues.Close(this) && _readers.Stop())
            _files.Dispose();
    }
}
