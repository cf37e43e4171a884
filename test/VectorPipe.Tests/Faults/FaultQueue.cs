using VectorPipe.Devices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Tests.Faults;

/// <summary>A queue whose finished reads pass through the plan of its device before they are handed back.</summary>
/// <remarks>
/// A read that is held back or lost counts as in flight: the caller may not touch its buffer. Disposal hands lost reads back, as a
/// cancellation would.
/// </remarks>
internal sealed unsafe class FaultQueue : IDeviceQueue
{
    public const byte Poison = 0xEE;

    private readonly IDeviceQueue _inner;
    private readonly FaultDevice _device;
    private readonly DeviceRead[] _batch;
    private readonly Dictionary<DeviceRead, Fault> _faults = [];
    private readonly List<(DeviceRead Read, int Turns)> _delayed = [];
    private readonly List<DeviceRead> _ready = [];
    private readonly List<DeviceRead> _lost = [];
    private readonly List<DeviceRead> _again = [];
    private long _completions;
    private long _bytesRead;
    private int _highWater;

    public FaultQueue(IDeviceQueue inner, FaultDevice device)
    {
        _inner = inner;
        _device = device;
        _batch = new DeviceRead[inner.Capacity];
    }

    public int Capacity => _inner.Capacity;

    public int InFlight => _inner.InFlight + _delayed.Count + _ready.Count + _lost.Count;

    public bool IsFaulted => FaultCause is not null || _inner.IsFaulted;

    public DeviceException? FaultCause { get => field ?? _inner.FaultCause; private set; }

    public bool BuffersMayBeWritten => _inner.BuffersMayBeWritten;

    /// <summary>Reads that will never be handed back.</summary>
    public int Lost => _lost.Count;

    public DeviceCounters Counters => _inner.Counters with { Completions = _completions, BytesRead = _bytesRead, HighWater = _highWater };

    public bool TryEnqueue(DeviceRead read)
    {
        if (!_device.Plan.NextEnqueue())
            return false;
        if (FaultCause is { } cause)
            throw cause;
        if (InFlight > 0 && InFlight == Capacity)
        {
            // Reads that are held back fill this queue but not the inner one, whose rules for threads and disposal still apply.
            _inner.Reap([], 0, default);
            return false;
        }

        if (!_inner.TryEnqueue(read))
            return false;
        _highWater = Math.Max(_highWater, InFlight);
        Fault fault = _device.Plan.NextRead(read);
        if (fault.Kind != FaultKind.None)
            _faults[read] = fault;
        return true;
    }

    public void Submit()
    {
        _device.Plan.NextSubmit();
        _inner.Submit();
    }

    public int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout)
    {
        if (_device.Plan.NextReap())
            FaultCause = new DeviceException("The queue was made to break", Errno.EIO);
        if (_device.Plan.FindsLost)
            Find();
        int count = 0;
        while (count < completed.Length && _again.Count > 0)
        {
            completed[count++] = _again[0];
            _again.RemoveAt(0);
        }

        Pull(0, timeout);
        PassTurn();
        // Lost reads are not awaited: the wait ends as if its time were up.
        int wanted = Math.Min(waitFor, completed.Length - count);
        while (_ready.Count < Math.Min(wanted, InFlight - _lost.Count))
        {
            if (_inner.InFlight > 0 && !Pull(1, timeout))
                break;
            if (_inner.InFlight == 0)
                PassTurn();
        }

        while (count < completed.Length && _ready.Count > 0)
        {
            int index = _device.Plan.Choose(_ready.Count);
            completed[count++] = _ready[index];
            _bytesRead += Math.Max(0, _ready[index].Result);
            _completions++;
            _ready.RemoveAt(index);
        }

        return count;
    }

    /// <summary>Hands a lost read back after all.</summary>
    public void Find()
    {
        _ready.AddRange(_lost);
        _lost.Clear();
    }

    public void Disown() => _inner.Disown();

    public void Dispose()
    {
        _inner.Dispose();
        _faults.Clear();
        _delayed.Clear();
        _ready.Clear();
        _lost.Clear();
        _again.Clear();
        _device.Plan.OnClose();
    }

    private bool Pull(int waitFor, TimeSpan timeout)
    {
        int count = _inner.Reap(_batch, waitFor, timeout);
        for (int i = 0; i < count; i++)
            Take(_batch[i]);
        return count > 0;
    }

    private void Take(DeviceRead read)
    {
        _faults.Remove(read, out Fault fault);
        if (FaultCause is not null)
            fault = new Fault(FaultKind.Errno, Errno.EIO);
        var bytes = new Span<byte>((void*)read.Address, read.Length);
        switch (fault.Kind)
        {
            case FaultKind.Errno:
                bytes.Fill(Poison);
                read.Result = -fault.Value;
                break;
            case FaultKind.Short when read.Result > 0:
                read.Result = Math.Clamp(fault.Value, 1, read.Result);
                bytes[read.Result..].Fill(Poison);
                break;
            case FaultKind.Zero:
                read.Result = 0;
                bytes.Fill(Poison);
                break;
            case FaultKind.Corrupt when read.Result > 0:
                int bit = fault.Value % (read.Result * 8);
                bytes[bit / 8] ^= (byte)(1 << (bit % 8));
                break;
            case FaultKind.Delay:
                _delayed.Add((read, fault.Value));
                return;
            case FaultKind.Lost:
                _lost.Add(read);
                return;
            case FaultKind.Duplicate:
                _again.Add(read);
                break;
        }

        _ready.Add(read);
    }

    private void PassTurn()
    {
        for (int i = _delayed.Count - 1; i >= 0; i--)
        {
            (DeviceRead read, int turns) = _delayed[i];
            if (turns > 1)
            {
                _delayed[i] = (read, turns - 1);
                continue;
            }

            _delayed.RemoveAt(i);
            _ready.Add(read);
        }
    }
}
