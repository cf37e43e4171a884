using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace VectorPipe.Devices.Memory;

/// <summary>A queue that serves every read inside the enqueue, and hands it back when it is due.</summary>
internal sealed class InlineMemoryQueue : DeviceQueue
{
    // A sleep takes at least a millisecond: a hundred reads of the devices that this one models.
    private const int NeverSleep = -1;

    private readonly MemoryImage _image;
    private readonly Queue<DeviceRead> _finished;
    private readonly ServiceTimes _times;
    private readonly DueTimes? _dueTimes;

    public InlineMemoryQueue(MemoryImage image, ServiceTimes times, DeviceQueueOptions options, Action onClosed)
        : base(options.Capacity, new ReadRules(image.FileCount, 1, options), onClosed)
    {
        _image = image;
        _finished = new Queue<DeviceRead>(options.Capacity);
        _times = times;
        _dueTimes = times.IsImmediate ? null : new DueTimes(options.Capacity);
    }

    protected override void Accept(DeviceRead read)
    {
        _image.Serve(read);
        _finished.Enqueue(read);
        _dueTimes?.Push(_times.Take());
    }

    protected override void Start()
    {
    }

    protected override void Gather(int wanted, TimeSpan timeout)
    {
        if (_dueTimes is null || wanted == 0)
            return;
        // Reads are due in the order in which they arrived.
        long start = Stopwatch.GetTimestamp();
        SpinWait pause = default;
        while (!_dueTimes.IsDue(wanted - 1) && Stopwatch.GetElapsedTime(start) < timeout)
            pause.SpinOnce(sleep1Threshold: NeverSleep);
    }

    protected override bool TryTake([NotNullWhen(true)] out DeviceRead? read)
    {
        read = null;
        if (_finished.Count == 0 || (_dueTimes is not null && !_dueTimes.IsDue(0)))
            return false;
        _dueTimes?.Pop();
        return _finished.TryDequeue(out read);
    }

    protected override void Close(bool isOwner)
    {
    }
}
