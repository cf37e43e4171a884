using System.Diagnostics.CodeAnalysis;
using VectorPipe.Bench.Runs;
using VectorPipe.Devices;
using VectorPipe.Devices.Memory;
using VectorPipe.Devices.Native;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Reads;

/// <summary>A thread that only copies random pages, as the memory device does. The rest of a read is the pipeline's cost.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The worker's own thread frees the buffers, in Close.")]
internal sealed class CopyWorker : RunWorker
{
    private readonly MemoryImage _image;
    private readonly PageFile _file;
    private readonly CopiedRead[] _reads;
    private readonly NativeBuffer _buffers;
    private SplitMix64 _random;

    public unsafe CopyWorker(RunWindow window, MemoryImage image, PageFile file, ReadPlan plan, int thread)
        : base(window)
    {
        _image = image;
        _file = file;
        _buffers = new NativeBuffer((nuint)plan.Depth * (nuint)file.PageSize);
        _reads =
        [
            .. Enumerable.Range(0, plan.Depth)
                .Select(slot => new CopiedRead(slot, _buffers.Pointer + (slot * (long)file.PageSize), file.PageSize)),
        ];
        _random = ReadWorker.RandomOf(plan.Seed, thread);
    }

    protected override DeviceCounters Counters => default;

    protected override void Open()
    {
    }

    protected override void Begin()
    {
    }

    protected override void Turn()
    {
        foreach (CopiedRead read in _reads)
        {
            read.Offset = _file.RandomOffset(ref _random);
            _image.Serve(read);
            Count();
        }
    }

    protected override void Close() => _buffers.Dispose();

    private sealed unsafe class CopiedRead : DeviceRead
    {
        public CopiedRead(int slot, byte* address, int length)
            : base(slot)
        {
            Address = (nint)address;
            Length = length;
        }
    }
}
