using VectorPipe.Bench.Runs;
using VectorPipe.Devices;
using VectorPipe.Devices.Memory;
using VectorPipe.Devices.Native;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Reads;

/// <summary>
/// A thread that does what the memory device does for random reads, a copy of the page, and nothing else: what is left of a read is the
/// pipeline's.
/// </summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage(
    "Design", "CA1001", Justification = "The buffers are freed by the worker's own thread, in Close.")]
internal sealed class CopyWorker : RunWorker
{
    private readonly MemoryImage _image;
    private readonly PageFile _file;
    private readonly CopiedRead[] _reads;
    private readonly NativeBuffer _buffers;
    private SplitMix64 _random;

    /// <summary>A worker, not yet started.</summary>
    /// <param name="window">Shared by the threads of the run.</param>
    /// <param name="image">The file in memory.</param>
    /// <param name="file">What is read.</param>
    /// <param name="plan">How many buffers, and in which order.</param>
    /// <param name="thread">Number of the thread.</param>
    public unsafe CopyWorker(RunWindow window, MemoryImage image, PageFile file, ReadPlan plan, int thread)
        : base(window)
    {
        _image = image;
        _file = file;
        _buffers = new NativeBuffer((nuint)plan.Depth * (nuint)file.PageSize);
        _reads = [
            .. Enumerable.Range(0, plan.Depth)
            .Select(slot => new CopiedRead(slot, _buffers.Pointer + (slot * (long)file.PageSize), file.PageSize))];
        _random = ReadWorker.RandomOf(plan.Seed, thread);
    }

    /// <inheritdoc/>
    protected override DeviceCounters Counters => default;

    /// <inheritdoc/>
    protected override void Open()
    {
    }

    /// <inheritdoc/>
    protected override void Begin()
    {
    }

    /// <inheritdoc/>
    protected override void Turn()
    {
        foreach (CopiedRead read in _reads)
        {
            read.Offset = _file.RandomOffset(ref _random);
            _image.Serve(read);
            Count();
        }
    }

    /// <inheritdoc/>
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
