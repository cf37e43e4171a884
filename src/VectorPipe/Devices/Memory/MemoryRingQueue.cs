using System.Diagnostics.CodeAnalysis;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Memory;

/// <summary>A queue whose reads another thread serves: one ring carries them there, another one back.</summary>
/// <remarks>A hand-over costs one fence per submitted batch, and one interlocked add and one fence per finished read.</remarks>
internal sealed class MemoryRingQueue : DeviceQueue
{
    private static readonly TimeSpan _drainBound = TimeSpan.FromSeconds(10);

    private readonly MemoryServer _server;
    private readonly ServiceTimes _times;

    public MemoryRingQueue(MemoryServer server, ServiceTimes times, int capacity, DeviceQueueOptions options, Action onClosed)
        : base(capacity, new ReadRules(server.FileCount, 1, options.Buffers), onClosed)
    {
        _server = server;
        _times = times;
        Submitted = new SpscRing(capacity);
        Finished = new CompletionRing(capacity);
        server.Add(this);
    }

    /// <summary>Reads on their way to the server.</summary>
    public SpscRing Submitted { get; }

    /// <summary>Reads on their way back.</summary>
    public CompletionRing Finished { get; }

    protected override void Accept(DeviceRead read) =>
        Submitted.Write(read, _times.IsImmediate ? 0 : _times.Take());

    protected override void Start()
    {
        if (Submitted.Unpublished == 0)
            return;
        Submitted.Publish();
        _server.Wake();
    }

    protected override void Gather(int wanted, TimeSpan timeout)
    {
        if (wanted == 0)
            return;
        Start();
        Finished.Wait(wanted, timeout);
    }

    protected override bool TryTake([NotNullWhen(true)] out DeviceRead? read) => Finished.TryPop(out read);

    protected override void Close(bool isOwner)
    {
        int held = InFlight;
        while (Submitted.TryTakeBack(out DeviceRead? read))
        {
            read.Result = -Errno.ECANCELED;
            held--;
        }

        bool isDrained = held == 0 || Finished.Wait(held, _drainBound);
        BuffersMayBeWritten = !isDrained;
        if (!isDrained)
        {
            // The server still owns the reads: it keeps the rings and finishes the reads into them.
            _server.ReportLeak(held);
            return;
        }

        _server.Remove(this);
        Finished.Dispose();
    }
}
