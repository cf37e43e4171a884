using BenchmarkDotNet.Attributes;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Open;

namespace VectorPipe.Micro;

/// <summary>32 reads of 4 KiB enqueued, submitted together, and reaped until all are back; times are per read.</summary>
/// <remarks>
/// The file of 4 MiB lies in the system's folder for temporary files and is read past the page cache where its file system allows.
/// </remarks>
[MemoryDiagnoser]
public unsafe class DeviceQueueBenchmarks : IDisposable
{
    private const int Batch = 32, BlockBytes = 4096, FileBytes = 4 << 20;

    private static readonly TimeSpan _timeout = TimeSpan.FromSeconds(10);

    private readonly DeviceRead[] _completed = new DeviceRead[Batch];
    private readonly ReadBlock[] _reads = new ReadBlock[Batch];
    private readonly byte[] _bytes = GC.AllocateArray<byte>(FileBytes, pinned: true);
    private string _path = "";
    private NativeBuffer _buffers = null!;
    private IDevice _device = null!;
    private IDeviceQueue _queue = null!;

    [GlobalSetup(Targets = [nameof(Copy), nameof(MemoryInline)])]
    public void OpenMemory() => Open(DeviceKind.Memory);

    [GlobalSetup(Target = nameof(MemoryRing))]
    public void OpenMemoryRing() => Open(DeviceKind.Memory, isRing: true);

    [GlobalSetup(Target = nameof(IoUring))]
    public void OpenIoUring() => Open(DeviceKind.Uring);

    [GlobalSetup(Target = nameof(Portable))]
    public void OpenPortable() => Open(DeviceKind.Portable);

    [GlobalCleanup]
    public void Dispose()
    {
        _queue.Dispose();
        _device.Dispose();
        _buffers.Dispose();
        File.Delete(_path);
        GC.SuppressFinalize(this);
    }

    [BenchmarkCategory("Read"), Benchmark(Baseline = true, OperationsPerInvoke = Batch)]
    public void Copy()
    {
        foreach (ReadBlock read in _reads)
            _bytes.AsSpan((int)read.Offset, BlockBytes).CopyTo(new Span<byte>((void*)read.Address, BlockBytes));
    }

    [BenchmarkCategory("Read"), Benchmark(OperationsPerInvoke = Batch)]
    public void MemoryInline() => ReadAll();

    [BenchmarkCategory("Read"), Benchmark(OperationsPerInvoke = Batch)]
    public void MemoryRing() => ReadAll();

    [BenchmarkCategory("Read"), Benchmark(OperationsPerInvoke = Batch)]
    public void IoUring() => ReadAll();

    [BenchmarkCategory("Read"), Benchmark(OperationsPerInvoke = Batch)]
    public void Portable() => ReadAll();

    private void Open(DeviceKind kind, bool isRing = false)
    {
        var random = new Random(1);
        random.NextBytes(_bytes);
        _path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        File.WriteAllBytes(_path, _bytes);
        _buffers = new NativeBuffer(Batch * BlockBytes);
        for (int i = 0; i < Batch; i++)
            _reads[i] = new ReadBlock(
                i, random.Next(FileBytes / BlockBytes) * (long)BlockBytes, (nint)_buffers.Pointer + (i * BlockBytes), BlockBytes);
        _device = DeviceFactory.Open(
            [_path], new DeviceOptions { Kind = kind, Tuning = new DeviceTuning { IsRing = isRing } }, NullLogger.Instance);
        _queue = _device.OpenQueue(
            new DeviceQueueOptions { Capacity = Batch, SlabAddress = _buffers.Address, SlabLength = (long)_buffers.Length });
    }

    private void ReadAll()
    {
        foreach (ReadBlock read in _reads)
            _queue.TryEnqueue(read);
        _queue.Submit();
        for (int done = 0; done < Batch;)
            done += _queue.Reap(_completed, 1, _timeout);
    }
}
