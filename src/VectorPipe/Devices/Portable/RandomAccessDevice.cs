using Microsoft.Extensions.Logging;
using VectorPipe.Model.Open;

namespace VectorPipe.Devices.Portable;

/// <summary>
/// Files read with blocking calls on own threads: works on every operating system, at about twice the ring's processor time.
/// </summary>
internal sealed class RandomAccessDevice : IDevice
{
    /// <summary>Threads where the caller does not say: a fast disk gives most of its reads to 32 callers.</summary>
    public const int DefaultThreads = 32;

    private readonly DeviceFiles _files;
    private readonly BlockingReaders _readers;
    private readonly OpenQueues _queues = new();
    private readonly int _queueDepth;
    private readonly ILogger _logger;

    /// <summary>Takes the files over.</summary>
    /// <param name="files">What is read.</param>
    /// <param name="logger">Told about reads that do not come back.</param>
    /// <param name="options">Of the settings <see cref="DeviceTuning.Threads"/> counts: most threads, and so most reads with the operating
    /// system at once. They are started when queues need them.</param>
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

    /// <inheritdoc/>
    public string Name => "portable";

    /// <inheritdoc/>
    public int FileCount => _files.Count;

    /// <inheritdoc/>
    public long LengthOf(int file) => _files[file].Length;

    /// <inheritdoc/>
    public int Alignment => _files.Alignment;

    /// <inheritdoc/>
    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        options = options with { Capacity = Math.Min(options.Capacity, _queueDepth) };
        _queues.Add(this);
        try
        {
            return new RandomAccessQueue(_readers, _files, options, _logger, _queues.Remove);
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
        if (_queues.Close(this) && _readers.Stop())
            _files.Dispose();
    }
}
