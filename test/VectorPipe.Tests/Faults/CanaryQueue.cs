using VectorPipe.Devices;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Tests.Faults;

/// <summary>Detects changes of a buffer while no read into it is in flight.</summary>
/// <remarks>
/// It poisons a buffer when its read is accepted, and remembers its bytes when the read is handed back. They must not change until the
/// next read into the buffer, or until the slab is freed; nor may the user of the queue write into them.
/// </remarks>
internal sealed unsafe class CanaryQueue(IDeviceQueue inner) : IDeviceQueue
{
    private readonly Dictionary<int, (nint Address, int Length, uint Checksum)> _canaries = [];
    private readonly Dictionary<int, DeviceRead> _inFlight = [];
    private bool _isDisposed;

    public int Capacity => inner.Capacity;

    public int InFlight => inner.InFlight;

    public bool IsFaulted => inner.IsFaulted;

    public DeviceException? FaultCause => inner.FaultCause;

    public bool BuffersMayBeWritten => inner.BuffersMayBeWritten;

    public DeviceCounters Counters => inner.Counters;

    public bool TryEnqueue(DeviceRead read)
    {
        Check(read.Slot);
        foreach (DeviceRead other in _inFlight.Values)
        {
            if (other.Slot == read.Slot || (other.Address < read.Address + read.Length && read.Address < other.Address + other.Length))
                throw new InvalidOperationException(
                    $"Slot {read.Slot} reads into the buffer of slot {other.Slot}, whose read is in flight.");
        }

        Bytes(read.Address, read.Length).Fill(FaultQueue.Poison);
        if (!inner.TryEnqueue(read))
        {
            Remember(read);
            return false;
        }

        _canaries.Remove(read.Slot);
        _inFlight.Add(read.Slot, read);
        return true;
    }

    public void Submit() => inner.Submit();

    public int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout)
    {
        int count = inner.Reap(completed, waitFor, timeout);
        foreach (DeviceRead read in completed[..count])
        {
            _inFlight.Remove(read.Slot);
            Remember(read);
        }

        return count;
    }

    public void Disown() => inner.Disown();

    public void Dispose()
    {
        inner.Dispose();
        if (_isDisposed)
            return;
        _isDisposed = true;
        foreach (int slot in _canaries.Keys)
            Check(slot);
    }

    private void Remember(DeviceRead read) =>
        _canaries[read.Slot] = (read.Address, read.Length, Crc32C.Compute(Bytes(read.Address, read.Length)));

    private void Check(int slot)
    {
        if (_canaries.TryGetValue(slot, out var canary) && Crc32C.Compute(Bytes(canary.Address, canary.Length)) != canary.Checksum)
            throw new InvalidOperationException($"The buffer of slot {slot} was written to while no read into it was in flight.");
    }

    private static Span<byte> Bytes(nint address, int length) => new((void*)address, length);
}
