using System.Diagnostics.CodeAnalysis;

namespace VectorPipe.Devices.Memory;

/// <summary>A queue whose reads another thread serves: one ring carries them there, another one back.</summary>
/// <remarks>A hand-over costs one fence per submitted batch, and one interlocked add and one fence per finished read.</remarks>
internal sealed class MemoryRingQueue : ServedQueue
{
    private readonly MemoryServer _server;
    private readonly ServiceTimes _times;

    public MemoryRingQueue(MemoryServer server, ServiceTimes times, int capacity, DeviceQueueOptions options, Action onClosed)
        : base(capacity, new ReadRules(server.FileCount, 1, options), onClosed)
    {
        _server = server;
        _times = times;
        Submitted = new SpscRing(capacity);
        server.Add(this);
    }

    /// <summary>Reads on their way to the server.</summary>
    public SpscRing Submitted { get; }

    protected override void Accept(DeviceRead read) => Submitted.Write(read, _times.IsImmediate ? 0 : _times.Take());

    protected override void Start()
    {
        if (Submitted.Unpublished == 0)
            return;
        Submitted.Publish();
        _server.Wake();
    }

    protected override bool TryTakeBack([NotNullWhen(true)] out DeviceRead? read) => Submitted.TryTakeBack(out read);

    protected override void ReportLeak(int count) => _server.ReportLeak(count);

    protected override void Release() => _server.Remove(this);
}
