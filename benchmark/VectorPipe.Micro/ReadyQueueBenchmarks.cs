using BenchmarkDotNet.Attributes;
using VectorPipe.Devices;
using VectorPipe.Pipeline;

namespace VectorPipe.Micro;

/// <summary>32 completed ops through the ready queue, each armed again; times are per op. Baseline: ConcurrentQueue.</summary>
[MemoryDiagnoser]
public unsafe class ReadyQueueBenchmarks
{
    private const int Batch = 32;

    private readonly ReadyQueue _ready = new(Batch);
    private readonly Queue<PendingIoContext> _queue = new(Batch);
    private readonly PendingIoContext[] _ops =
        [.. Enumerable.Range(0, Batch).Select(slot => new PendingIoContext(slot, null, 4096, new AttendedClock(static () => 0, 1)))];

    [BenchmarkCategory("PushPop"), Benchmark(Baseline = true, OperationsPerInvoke = Batch)]
    public int FrameworkQueue()
    {
        foreach (PendingIoContext op in _ops)
        {
            Complete(op);
            op.TryMarkReady();
            _queue.Enqueue(op);
        }

        int slots = 0;
        while (_queue.TryDequeue(out PendingIoContext? op))
            slots += op.Slot;
        return slots;
    }

    [BenchmarkCategory("PushPop"), Benchmark(OperationsPerInvoke = Batch)]
    public int ReadyQueue()
    {
        Span<DeviceRead> free = _ready.FreeSpan;
        for (int i = 0; i < _ops.Length; i++)
        {
            Complete(_ops[i]);
            free[i] = _ops[i];
        }

        _ready.Commit(_ops.Length);
        int slots = 0;
        while (_ready.TryPop(out PendingIoContext op))
            slots += op.Slot;
        return slots;
    }

    private static void Complete(PendingIoContext op)
    {
        op.Arm();
        op.Result = 4096;
    }
}
