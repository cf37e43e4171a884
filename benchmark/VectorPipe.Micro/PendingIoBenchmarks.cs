using BenchmarkDotNet.Attributes;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices.Memory;
using VectorPipe.Pipeline;

namespace VectorPipe.Micro;

/// <summary>Renting, issuing, completing and returning an op, on a memory device that serves it inline; times are per read.</summary>
/// <remarks>The baseline copies the same bytes, so the difference is the cost of the pipeline.</remarks>
[MemoryDiagnoser]
public unsafe class PendingIoBenchmarks : IDisposable
{
    private const int Batch = 32, BufferBytes = 4096, FileBytes = 1 << 20;

    private readonly byte[] _bytes = GC.AllocateArray<byte>(FileBytes, pinned: true);
    private readonly byte[] _copies = GC.AllocateArray<byte>(Batch * BufferBytes, pinned: true);
    private readonly long[] _offsets = new long[Batch];
    private readonly Reader _reader = new();
    private LocalMemoryDevice _device = null!;
    private PendingIoSession _session = null!;

    [Params(64, 4096)]
    public int ReadBytes { get; set; }

    [GlobalSetup]
    public void Open()
    {
        var random = new Random(1);
        random.NextBytes(_bytes);
        foreach (ref long offset in _offsets.AsSpan())
            offset = random.Next(FileBytes / BufferBytes) * (long)BufferBytes;
        _device = new LocalMemoryDevice(_bytes, new LocalMemoryOptions(), NullLogger.Instance);
        _session = new PendingIoSession(_device, new PendingIoOptions { Capacity = Batch, BufferBytes = BufferBytes, SubmitEvery = Batch });
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _session.Dispose();
        _device.Dispose();
        GC.SuppressFinalize(this);
    }

    [BenchmarkCategory("Read"), Benchmark(Baseline = true, OperationsPerInvoke = Batch)]
    public void Copy()
    {
        for (int i = 0; i < Batch; i++)
            _bytes.AsSpan((int)_offsets[i], ReadBytes).CopyTo(_copies.AsSpan(i * BufferBytes));
    }

    [BenchmarkCategory("Read"), Benchmark(OperationsPerInvoke = Batch)]
    public int IssueAndDrain()
    {
        _reader.Chain = 0;
        for (int i = 0; i < Batch; i++)
            _session.TryIssue(0, _offsets[i], ReadBytes, _reader, 0, i);
        return _session.Drain(TimeSpan.Zero);
    }

    [BenchmarkCategory("Read"), Benchmark(OperationsPerInvoke = Batch)]
    public int ChainOfReissues()
    {
        _reader.Chain = Batch - 1;
        _session.TryIssue(0, _offsets[0], ReadBytes, _reader, 0, 0);
        int served = 0;
        while (_session.Pending > 0)
            served += _session.Drain(TimeSpan.Zero);
        return served;
    }

    /// <summary>Re-issues an op a number of times, then completes it.</summary>
    private sealed class Reader : IPendingIoOwner
    {
        public int Chain { get; set; }

        public PendingIoOutcome OnRead(PendingIoContext op)
        {
            if (Chain == 0)
                return PendingIoOutcome.Done;
            Chain--;
            op.Redirect(0, (op.RequestOffset + BufferBytes) % FileBytes, op.RequestLength);
            return PendingIoOutcome.Reissue;
        }

        public void OnReadFailed(PendingIoContext op, Exception error) => throw error;
    }
}
