using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Portable;

/// <summary>A queue whose reads are done by the device's threads.</summary>
internal sealed class RandomAccessQueue : DeviceQueue
{
    private static readonly TimeSpan _drainBound = TimeSpan.FromSeconds(10);

    private readonly BlockingReaders _readers;
    private readonly Queue<DeviceRead> _waiting;
    private readonly CompletionRing _finished;
    private readonly string _path;
    private readonly ILogger _logger;

    public RandomAccessQueue(BlockingReaders readers, DeviceFiles files, DeviceQueueOptions options, ILogger logger, Action onClosed)
        : base(options.Capacity, new ReadRules(files.Count, files.Alignment, options.Buffers), onClosed)
    {
        _readers = readers;
        _path = files.Path;
        _logger = logger;
        _waiting = new Queue<DeviceRead>(options.Capacity);
        _finished = new CompletionRing(options.Capacity);
        try
        {
            readers.Reserve(options.Capacity);
        }
        catch
        {
            _finished.Dispose();
            throw;
        }
    }

    protected override void Accept(DeviceRead read) => _waiting.Enqueue(read);

    protected override void Start()
    {
        if (_waiting.Count > 0)
            _readers.Start(_waiting, _finished);
    }

    protected override void Gather(int wanted, TimeSpan timeout)
    {
        if (wanted == 0)
            return;
        Start();
        _finished.Wait(wanted, timeout);
    }

    protected override bool TryTake([NotNullWhen(true)] out DeviceRead? read) => _finished.TryPop(out read);

    protected override void Close(bool isOwner)
    {
        int held = InFlight;
        while (_waiting.TryDequeue(out DeviceRead? read))
        {
            read.Result = -Errno.ECANCELED;
            held--;
        }

        bool isDrained = held == 0 || _finished.Wait(held, _drainBound);
        BuffersMayBeWritten = !isDrained;
        if (!isDrained)
        {
            // The threads still own the reads: the room and the ring stay.
            DeviceLog.ReadsLeaked(_logger, held, _path);
            return;
        }

        _readers.Release(Capacity);
        _finished.Dispose();
    }
}
