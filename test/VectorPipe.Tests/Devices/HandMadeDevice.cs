using System.Diagnostics.CodeAnalysis;
using VectorPipe.Devices;

namespace VectorPipe.Tests.Devices;

/// <summary>A device as a program would write it on the public base: files in memory, read when they are gathered.</summary>
/// <param name="paths">The files.</param>
/// <param name="flaw">A promise that it breaks.</param>
internal sealed class HandMadeDevice(IReadOnlyList<string> paths, Flaw flaw = Flaw.None) : IDevice
{
    private readonly byte[][] _files = [.. paths.Select(File.ReadAllBytes)];
    private int _queues;
    private bool _isDisposed;

    public string Name => "hand-made";

    public int FileCount => _files.Length;

    public int Alignment => flaw == Flaw.MisalignedReads ? 512 : 1;

    public long LengthOf(int file) => _files[file].Length + (flaw == Flaw.WrongLength ? 1 : 0);

    public IDeviceQueue OpenQueue(DeviceQueueOptions options)
    {
        ObjectDisposedException.ThrowIf(_isDisposed && flaw != Flaw.OpensAfterDisposal, this);
        if (flaw == Flaw.AnyCapacity)
            options = options with { Capacity = Math.Clamp(options.Capacity, 1, DeviceQueueOptions.MaxCapacity) };
        var queue = new Queue(this, flaw == Flaw.BuffersAnywhere ? options with { SlabLength = 0 } : options, flaw);
        Interlocked.Increment(ref _queues);
        return flaw is Flaw.AnyThread or Flaw.UsedAfterDisposal or Flaw.MisalignedReads ? new LooseQueue(queue, flaw) : queue;
    }

    public void Dispose()
    {
        if (_queues > 0 && flaw != Flaw.DisposedUnderQueues)
            throw new InvalidOperationException("A queue is open.");
        _isDisposed = true;
    }

    private sealed unsafe class Queue(HandMadeDevice device, DeviceQueueOptions options, Flaw flaw)
        : DeviceQueue(device, options, () => Interlocked.Decrement(ref device._queues))
    {
        private readonly Queue<DeviceRead> _accepted = new();
        private readonly Queue<DeviceRead> _finished = new();

        protected override void Accept(DeviceRead read) => _accepted.Enqueue(read);

        protected override void Start()
        {
            while (_accepted.TryDequeue(out DeviceRead? read))
            {
                byte[] file = device._files[flaw == Flaw.OneFile ? 0 : read.File];
                long offset = read.Offset + (flaw == Flaw.WrongPlace ? 1 : 0);
                int count = (int)Math.Clamp(file.Length - offset, 0, read.Length);
                file.AsSpan((int)Math.Min(offset, file.Length), count).CopyTo(new Span<byte>((void*)read.Address, read.Length));
                if (flaw == Flaw.WritesBeyond && read.Length == 4096)
                    ((byte*)read.Address)[read.Length] = 0;
                read.Result = flaw == Flaw.NeverShort ? read.Length : count;
                if (flaw != Flaw.LosesReads || read.Slot % 4 != 3)
                    _finished.Enqueue(read);
            }
        }

        protected override void Gather(int wanted, TimeSpan timeout)
        {
            if (wanted > 0)
                Start();
        }

        protected override bool TryTake([NotNullWhen(true)] out DeviceRead? read) => _finished.TryDequeue(out read);

        protected override void Close(bool isOwner) => BuffersMayBeWritten = flaw == Flaw.LeaksBuffers;
    }

    /// <summary>A queue that forwards what the base would refuse, or changes a read that it refuses.</summary>
    private sealed class LooseQueue(Queue inner, Flaw flaw) : IDeviceQueue
    {
        private bool _isDisposed;

        public int Capacity => inner.Capacity;

        public int InFlight => inner.InFlight;

        public bool IsFaulted => false;

        public DeviceException? FaultCause => null;

        public DeviceCounters Counters => inner.Counters;

        public bool TryEnqueue(DeviceRead read)
        {
            if (flaw == Flaw.MisalignedReads && (read.Offset | (long)read.Length | read.Address) % 512 != 0)
                read.Result = 0;
            return (flaw == Flaw.UsedAfterDisposal && _isDisposed) || inner.TryEnqueue(read);
        }

        public void Submit()
        {
            if (flaw != Flaw.UsedAfterDisposal || !_isDisposed)
                inner.Submit();
        }

        public int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout) =>
            flaw == Flaw.UsedAfterDisposal && _isDisposed ? 0 : inner.Reap(completed, waitFor, timeout);

        public void Disown() => inner.Disown();

        public void Dispose()
        {
            _isDisposed = true;
            if (flaw == Flaw.AnyThread)
                inner.Disown();
            inner.Dispose();
        }
    }
}
