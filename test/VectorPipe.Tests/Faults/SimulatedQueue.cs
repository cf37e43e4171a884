using System.Diagnostics.CodeAnalysis;
using VectorPipe.Devices;

namespace VectorPipe.Tests.Faults;

/// <summary>A queue whose clock moves to the next completion at a wait, and by a microsecond at a look.</summary>
internal sealed class SimulatedQueue : DeviceQueue
{
    private readonly SimulatedDevice _device;
    private readonly int _number;
    private readonly Random _latencies;
    private readonly List<DeviceRead> _waiting = [];
    private readonly PriorityQueue<DeviceRead, (long DueUs, long Number)> _started = new();
    private long _nowUs;
    private long _startedCount;

    public SimulatedQueue(SimulatedDevice device, int number, int seed, DeviceQueueOptions options, Action onClosed)
        : base(options.Capacity, new ReadRules(device.FileCount, device.Alignment, options), onClosed)
    {
        _device = device;
        _number = number;
        _latencies = new Random(HashCodeOf(seed, number));
    }

    protected override void Accept(DeviceRead read) => _waiting.Add(read);

    protected override void Start()
    {
        foreach (DeviceRead read in _waiting)
        {
            // Most reads of a disk take about the same time; one in fifty meets its housekeeping.
            long latencyUs = _latencies.Next(60, 140) + (_latencies.Next(50) == 0 && !_device.IsEven ? _latencies.Next(10_000) : 0);
            _started.Enqueue(read, (_nowUs + latencyUs, _startedCount++));
        }

        _waiting.Clear();
    }

    protected override void Gather(int wanted, TimeSpan timeout)
    {
        if (wanted == 0)
        {
            _nowUs++;
            return;
        }

        Start();
        (DeviceRead Read, (long DueUs, long Number) Due)[] order = [.. _started.UnorderedItems.OrderBy(item => item.Priority)];
        long end = _nowUs + (long)timeout.TotalMicroseconds;
        _nowUs = Math.Max(_nowUs, Math.Min(end, order[wanted - 1].Due.DueUs));
    }

    protected override unsafe bool TryTake([NotNullWhen(true)] out DeviceRead? read)
    {
        if (!_started.TryPeek(out read, out (long DueUs, long Number) due) || due.DueUs > _nowUs)
        {
            read = null;
            return false;
        }

        _started.Dequeue();
        byte[] file = _device.Bytes(read.File);
        int count = (int)Math.Clamp(file.Length - read.Offset, 0, read.Length);
        file.AsSpan((int)Math.Min(read.Offset, file.Length), count).CopyTo(new Span<byte>((void*)read.Address, read.Length));
        read.Result = count;
        _device.Observer?.Invoke(_number, read.File, read.Offset, _nowUs);
        return true;
    }

    protected override void Close(bool isOwner)
    {
        _waiting.Clear();
        _started.Clear();
    }

    /// <summary>The same in every process, unlike HashCode.</summary>
    private static int HashCodeOf(int seed, int number) => unchecked((seed * 31) + number);
}
