using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Pipeline;

/// <summary>A pending op: one read with its buffer, state, result, attempts and owner; pooled by its session.</summary>
/// <remarks>
/// The device sees only the base class and writes only <see cref="DeviceRead.Result"/>. Everything in this class belongs to the run thread.
/// </remarks>
internal sealed unsafe class PendingIoContext : DeviceRead
{
    /// <summary>No byte count and no errno: the device has not finished the read.</summary>
    private const int NoResult = int.MinValue;

    private readonly int _bufferBytes;
    private readonly AttendedClock _clock;

    internal PendingIoContext(int slot, byte* buffer, int bufferBytes, AttendedClock clock)
        : base(slot)
    {
        Pointer = buffer;
        _bufferBytes = bufferBytes;
        _clock = clock;
    }

    public PendingIoState State { get; private set; }

    /// <summary>The owner that waits for the bytes; null in the pool.</summary>
    public IPendingIoOwner? Owner { get; private set; }

    /// <summary>The owner's own number for this read: a page, or a step of a chain.</summary>
    public long Tag { get; set; }

    /// <summary>The owner's ticket at issue; an owner that has begun other work since recognises a stale read by it.</summary>
    public long Ticket { get; private set; }

    /// <summary>Issues of the present request so far, retries and continuations included.</summary>
    public int Attempts { get; private set; }

    /// <summary>When the present request was first issued, by the session's <see cref="AttendedClock"/>.</summary>
    public long IssuedAtMs { get; private set; }

    /// <summary>Bytes of the present request that have landed.</summary>
    public int Landed { get; private set; }

    public int RequestFile { get; private set; }
    public long RequestOffset { get; private set; }
    public int RequestLength { get; private set; }

    /// <summary>The request in words, for messages.</summary>
    public string Request => $"{RequestLength} bytes at {RequestOffset} of file {RequestFile}";

    /// <summary>First byte of the buffer.</summary>
    public byte* Pointer { get; }

    /// <summary>The requested bytes; complete in <see cref="IPendingIoOwner.OnRead"/>.</summary>
    public Span<byte> Bytes => new(Pointer, RequestLength);

    /// <summary>Gives the op another request, from within <see cref="IPendingIoOwner.OnRead"/>.</summary>
    public void Redirect(int file, long offset, int length)
    {
        Debug.Assert(State == PendingIoState.Draining, "only an op that has landed can be redirected");
        SetRequest(file, offset, length);
    }

    internal void Begin(IPendingIoOwner owner, long ticket, long tag, int file, long offset, int length)
    {
        Debug.Assert(State == PendingIoState.Free, "only a free op can be rented");
        Owner = owner;
        Ticket = ticket;
        Tag = tag;
        SetRequest(file, offset, length);
    }

    /// <summary>Prepares the next issue: the part that has not landed yet.</summary>
    internal void Arm()
    {
        File = RequestFile;
        Offset = RequestOffset + Landed;
        Address = (nint)Pointer + Landed;
        Length = RequestLength - Landed;
        Result = NoResult;
        Attempts++;
        State = PendingIoState.Issued;
    }

    /// <summary>Accepts a completion; false if it is not the first of this issue.</summary>
    internal bool TryMarkReady()
    {
        if (State is not (PendingIoState.Issued or PendingIoState.Abandoned) || Result == NoResult)
            return false;
        if (State == PendingIoState.Issued)
            State = PendingIoState.Ready;
        else
            Result = NoResult;
        return true;
    }

    internal void MarkDraining()
    {
        Debug.Assert(State == PendingIoState.Ready, "only a ready op is drained");
        State = PendingIoState.Draining;
    }

    internal void MarkKept()
    {
        Debug.Assert(State == PendingIoState.Draining, "only an op that has landed can be kept");
        State = PendingIoState.Kept;
    }

    internal void MarkAbandoned()
    {
        Debug.Assert(State == PendingIoState.Issued, "only an op that the device holds can be abandoned");
        State = PendingIoState.Abandoned;
        Owner = null;
    }

    /// <summary>Counts the bytes of a short read, rounded down to an offset at which the next read may start.</summary>
    internal void Land(int bytes, int alignment)
    {
        int landed = Landed + bytes;
        Landed = landed == RequestLength ? landed : landed - landed % alignment;
    }

    internal void Release()
    {
        Debug.Assert(State is not (PendingIoState.Free or PendingIoState.Ready), "an op is returned once");
        State = PendingIoState.Free;
        Owner = null;
    }

    private void SetRequest(int file, long offset, int length)
    {
        if (length <= 0 || length > _bufferBytes)
            throw new ArgumentOutOfRangeException(nameof(length), length, $"Expected 1 to {_bufferBytes} bytes.");
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        RequestFile = file;
        RequestOffset = offset;
        RequestLength = length;
        Landed = 0;
        Attempts = 0;
        IssuedAtMs = _clock.Look();
    }
}
