using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Pipeline;

/// <summary>
/// One read in flight: pooled by its session, owns a slot of the session's buffer slab, and carries its state, result, attempts and owner.
/// </summary>
/// <remarks>
/// The object that travels through the device is the object that the run thread goes on with. The device sees the base class only.
/// Only the run thread touches the fields of this class; the device writes <see cref="DeviceRead.Result"/>.
/// </remarks>
internal sealed unsafe class PendingIoContext : DeviceRead
{
    /// <summary>No byte count and no errno: the device has not finished the read.</summary>
    private const int NoResult = int.MinValue;

    private readonly byte* _buffer;
    private readonly int _bufferBytes;
    private readonly AttendedClock _clock;
    private int _wantedFile;
    private long _wantedOffset;
    private int _wantedLength;

    internal PendingIoContext(int slot, byte* buffer, int bufferBytes, AttendedClock clock)
        : base(slot)
    {
        _buffer = buffer;
        _bufferBytes = bufferBytes;
        _clock = clock;
    }

    /// <summary>Where the op is in its life.</summary>
    public PendingIoState State { get; private set; }

    /// <summary>Who waits for the bytes; null in the pool.</summary>
    public IPendingIoOwner? Owner { get; private set; }

    /// <summary>The owner's own number for this read: which page, which step of a chain.</summary>
    public long Tag { get; set; }

    /// <summary>The owner's ticket at issue: an owner that has gone on to other work knows a stale read by it.</summary>
    public long Ticket { get; private set; }

    /// <summary>Issues so far, retries and continuations included, of the present request.</summary>
    public int Attempts { get; private set; }

    /// <summary>When the present request was first issued, by the session's <see cref="AttendedClock"/>.</summary>
    public long IssuedAtMs { get; private set; }

    /// <summary>Bytes of the present request that have landed.</summary>
    public int Landed { get; private set; }

    /// <summary>The device's file that the request reads.</summary>
    public int RequestFile => _wantedFile;

    /// <summary>First byte of the request, from the start of the file.</summary>
    public long RequestOffset => _wantedOffset;

    /// <summary>Bytes of the request.</summary>
    public int RequestLength => _wantedLength;

    /// <summary>First byte of the buffer.</summary>
    public byte* Pointer => _buffer;

    /// <summary>The bytes asked for; all there in <see cref="IPendingIoOwner.OnRead"/>.</summary>
    public Span<byte> Bytes => new(_buffer, _wantedLength);

    /// <summary>Sends the op on to another place, from within <see cref="IPendingIoOwner.OnRead"/>.</summary>
    /// <param name="file">The device's file.</param>
    /// <param name="offset">First byte.</param>
    /// <param name="length">Bytes; at most the buffer's.</param>
    public void Redirect(int file, long offset, int length)
    {
        Debug.Assert(State == PendingIoState.Draining, "only an op that has landed can be sent on");
        Request(file, offset, length);
    }

    internal void Begin(IPendingIoOwner owner, long ticket, long tag, int file, long offset, int length)
    {
        Debug.Assert(State == PendingIoState.Free, "only a free op can be rented");
        Owner = owner;
        Ticket = ticket;
        Tag = tag;
        Request(file, offset, length);
    }

    /// <summary>Prepares the next issue: what has not landed yet.</summary>
    internal void Arm()
    {
        File = _wantedFile;
        Offset = _wantedOffset + Landed;
        Address = (nint)_buffer + Landed;
        Length = _wantedLength - Landed;
        Result = NoResult;
        Attempts++;
        State = PendingIoState.Issued;
    }

    /// <summary>Takes a completion; false if it is not the first of this issue.</summary>
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

    /// <summary>Counts bytes of a short read, cut down to what the next read may start at.</summary>
    internal void Land(int bytes, int alignment)
    {
        int landed = Landed + bytes;
        Landed = landed == _wantedLength ? landed : landed - landed % alignment;
    }

    internal void Release()
    {
        Debug.Assert(
            State is PendingIoState.Draining or PendingIoState.Issued or PendingIoState.Abandoned or PendingIoState.Kept,
            "an op is returned once");
        State = PendingIoState.Free;
        Owner = null;
    }

    private void Request(int file, long offset, int length)
    {
        if (length <= 0 || length > _bufferBytes)
            throw new ArgumentOutOfRangeException(nameof(length), length, $"Expected 1 to {_bufferBytes} bytes.");
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        _wantedFile = file;
        _wantedOffset = offset;
        _wantedLength = length;
        Landed = 0;
        Attempts = 0;
        IssuedAtMs = _clock.Look();
    }
}
