using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;

namespace VectorPipe.Devices.Portable;

/// <summary>A queue whose reads are done by the device's threads.</summary>
internal sealed class RandomAccessQueue : ServedQueue
{
    private readonly BlockingReaders _readers;
    private readonly Queue<DeviceRead> _waiting;
    private readonly string _path;
    private readonly ILogger _logger;

    public RandomAccessQueue(BlockingReaders readers, DeviceFiles files, DeviceQueueOptions options, ILogger logger, Action onClosed)
        : base(options.Capacity, new ReadRules(files.Count, files.Alignment, options), onClosed)
    {
        _readers = readers;
        _path = files.Path;
        _logger = logger;
        _waiting = new Queue<DeviceRead>(options.Capacity);
        try
        {
            readers.Reserve(options.Capacity);
        }
        catch
        {
            Finished.Dispose();
            throw;
        }
    }

    protected override void Accept(DeviceRead read) => _waiting.Enqueue(read);

    protected override void Start()
    {
        if (_waiting.Count > 0)
            _readers.Start(_waiting, Finished);
    }

    protected override bool TryTakeBack([NotNullWhen(true)] out DeviceRead? read) => _waiting.TryDequeue(out read);

    protected override void ReportLeak(int count) => DeviceLog.ReadsLeaked(_logger, count, _path);

    protected override void Release() => _readers.Release(Capacity);
}
