using Microsoft.Extensions.Logging;

namespace VectorPipe.Devices;

/// <summary>A file read with blocking calls on own threads: works on every operating system, at about twice the ring's processor time.</summary>
internal sealed class RandomAccessDevice : IDevice
{
    /// <summary>Threads where the caller does not say: a fast disk gives most of its reads to 32 callers.</summary>
    public const int DefaultThreads = 32;

    private readonly DeviceFile _file;
    private readonly BlockingReaders _readers;
    private readonly OpenQueues _queues = new();
    private readonly ILogger _logger;

    /// <summary>Takes the file over.</summary>
    /// <param name="file">What is read.</param>
    /// <param name="logger">Told about reads that do not come back.</param>
    /// <param name="threads">Most threads, and so most reads with the operating system at once: 1 .. 1024. They are started when queues need them.</param>
    public RandomAccessDevice(DeviceFile file, ILogger logger, int threads = DefaultThreads)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(threads, 1024);
        _file = file;
        _logger = logger;
        _readers = new BlockingReaders(file.Handle, threads);
    }

    /// <inheritdoc/>
    public string Name => "portable";

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
            return new RandomAccessQueue(_readers, _file, options, _logger, _queues.Remove);
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
            _file.Dispose();
    }
}
