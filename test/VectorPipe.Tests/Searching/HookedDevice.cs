using VectorPipe.Devices;

namespace VectorPipe.Tests.Searching;

/// <summary>A device that shows every read to the test, which may hold reads back. Opens one queue at a time.</summary>
internal sealed class HookedDevice(IDevice inner) : IDevice
{
    private HookedQueue? _queue;

    /// <summary>Sees every read, counted from 0; true holds it back until <see cref="ReleaseHeld()"/>.</summary>
    public Func<int, DeviceRead, bool> Hold { get; set; } = static (_, _) => false;

    /// <summary>Sees every reap, by the number of reads that it waits for.</summary>
    public Action<int> OnReap { get; set; } = static _ => { };

    public int ReadsSeen { get; set; }

    /// <summary>Reads seen before the first submission.</summary>
    public int? ReadsAtFirstSubmit { get; private set; }

    public string Name => inner.Name;

    public int FileCount => inner.FileCount;

    public int Alignment => inner.Alignment;

    public long LengthOf(int file) => inner.LengthOf(file);

    public IDeviceQueue OpenQueue(DeviceQueueOptions options) => _queue = new HookedQueue(this, inner.OpenQueue(options));

    /// <summary>Gives the held reads to the inner device.</summary>
    public void ReleaseHeld() => _queue!.ReleaseHeld(static _ => true);

    /// <summary>Gives some of the held reads to the inner device, by the numbers by which <see cref="Hold"/> saw them.</summary>
    public void ReleaseHeld(int[] numbers) => _queue!.ReleaseHeld(numbers.Contains);

    public void Dispose() => inner.Dispose();

    private sealed class HookedQueue(HookedDevice device, IDeviceQueue inner) : IDeviceQueue
    {
        private readonly List<(int Number, DeviceRead Read)> _held = [];

        public int Capacity => inner.Capacity;

        public int InFlight => inner.InFlight + _held.Count;

        public bool IsFaulted => inner.IsFaulted;

        public DeviceException? FaultCause => inner.FaultCause;

        public bool BuffersMayBeWritten => inner.BuffersMayBeWritten;

        public DeviceCounters Counters => inner.Counters;

        public bool TryEnqueue(DeviceRead read)
        {
            int number = device.ReadsSeen++;
            if (!device.Hold(number, read))
                return inner.TryEnqueue(read);
            _held.Add((number, read));
            return true;
        }

        public void Submit()
        {
            device.ReadsAtFirstSubmit ??= device.ReadsSeen;
            inner.Submit();
        }

        public int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout)
        {
            device.OnReap(waitFor);
            return inner.Reap(completed, Math.Min(waitFor, inner.InFlight), timeout);
        }

        public void ReleaseHeld(Func<int, bool> isReleased)
        {
            foreach ((_, DeviceRead read) in _held.Where(held => isReleased(held.Number)))
                inner.TryEnqueue(read);
            _held.RemoveAll(held => isReleased(held.Number));
        }

        public void Disown() => inner.Disown();

        public void Dispose() => inner.Dispose();
    }
}
