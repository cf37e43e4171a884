using System.Runtime.InteropServices;
using VectorPipe.Devices.Uring;
using VectorPipe.Model.Errors;

namespace VectorPipe.Tests.Devices.Uring;

/// <summary>A kernel's side of one io_uring in plain memory, over a file of position-derived bytes.</summary>
/// <remarks>
/// It completes reads inside the enter that submits them, unless the test makes it hold, refuse, take fewer, or complete wrongly.
/// </remarks>
internal sealed unsafe class SimulatedUringSystem(byte[] file) : IUringSystem, IDisposable
{
    private const int Fd = 1000;
    private const int CqesAt = 256;
    private readonly List<(ulong UserData, int Result)> _held = [];
    private readonly Queue<(ulong UserData, int Result)> _overflown = [];
    private byte* _rings;
    private IoUringSqe* _sqes;
    private uint _entries;
    private uint _cqEntries;
    private int _maps;
    private int _reads;
    private bool _isCancelled;

    /// <summary>Answers a set-up by its flags: 0 accepts it, else an errno.</summary>
    public Func<uint, int> OnSetup { get; set; } = _ => 0;

    /// <summary>Answers an enter by entries to submit: null goes on; -errno refuses; n takes at most n entries.</summary>
    public Func<uint, int?> OnEnter { get; set; } = _ => null;

    /// <summary>Errno of a registration by its operation; 0 accepts.</summary>
    public Func<uint, int> OnRegister { get; set; } = _ => 0;

    /// <summary>Keeps reads instead of completing them.</summary>
    public bool Holds { get; set; }

    /// <summary>Whether a cancellation finishes held reads.</summary>
    public bool ObeysCancel { get; set; } = true;

    /// <summary>Result of a cancellation; null: the number of reads that were held.</summary>
    public int? CancelResult { get; set; }

    /// <summary>Enters after the one that cancelled.</summary>
    public int EntersBehindCancel { get; private set; }

    /// <summary>Idle time of the polling thread in the last set-up.</summary>
    public uint SqThreadIdle { get; private set; }

    /// <summary>Completions that the queue takes before it overflows.</summary>
    public uint CqLimit { get; set; } = uint.MaxValue;

    /// <summary>Posts every completion twice.</summary>
    public bool Duplicates { get; set; }

    /// <summary>A wrong result for the next reads.</summary>
    public int? ForcedResult { get; set; }

    /// <summary>Errno of the n-th mapping; 0 maps.</summary>
    public Func<int, int> OnMap { get; set; } = _ => 0;

    /// <summary>A wrong result for the n-th read.</summary>
    public Func<int, int, int> OnResult { get; set; } = (_, bytes) => bytes;

    /// <summary>Completes about half of the held reads at every enter, in any order; null: at once, in order.</summary>
    public Random? Disorder { get; set; }

    /// <summary>Whether the polling thread sleeps and has set the flag; a wake-up ends it.</summary>
    public bool IsAsleep { get; set; }

    /// <summary>Whether the polling thread is late: it takes nothing by itself, even after a wake-up.</summary>
    public bool IsLate { get; set; }

    public uint Features { get; set; } = IoUringAbi.FeatureSingleMmap | IoUringAbi.FeatureNoDrop | IoUringAbi.FeatureExtArg;

    public List<uint> SetupFlags { get; } = [];

    public List<uint> EnterFlags { get; } = [];

    public List<byte> Opcodes { get; } = [];

    public int Mapped { get; private set; }

    public int Opened { get; private set; }

    private ref uint SqHead => ref ((uint*)_rings)[0];

    private ref uint SqTail => ref ((uint*)_rings)[1];

    private ref uint SqFlags => ref ((uint*)_rings)[4];

    private ref uint CqHead => ref ((uint*)_rings)[16];

    private ref uint CqTail => ref ((uint*)_rings)[17];

    public int Setup(uint entries, IoUringParams* parameters)
    {
        SetupFlags.Add(parameters->Flags);
        SqThreadIdle = parameters->SqThreadIdle;
        int errno = OnSetup(parameters->Flags);
        if (errno != 0)
            return -errno;
        _entries = System.Numerics.BitOperations.RoundUpToPowerOf2(entries);
        _cqEntries = 2 * _entries;
        parameters->SqEntries = _entries;
        parameters->CqEntries = _cqEntries;
        parameters->Features = Features;
        uint array = CqesAt + (_cqEntries * 16);
        parameters->SqOffsets = new IoUringSqOffsets { Head = 0, Tail = 4, RingMask = 8, RingEntries = 12, Flags = 16, Array = array };
        parameters->CqOffsets = new IoUringCqOffsets { Head = 64, Tail = 68, RingMask = 72, RingEntries = 76, Cqes = CqesAt };
        Opened++;
        return Fd;
    }

    public nint Map(int fd, long offset, nuint length)
    {
        int errno = OnMap(_maps++);
        if (errno != 0)
            return -errno;
        Mapped++;
        byte* memory = (byte*)NativeMemory.AllocZeroed(length);
        if (offset != IoUringAbi.OffsetSqRing)
        {
            _sqes = (IoUringSqe*)memory;
            return (nint)memory;
        }

        _rings = memory;
        ((uint*)_rings)[2] = _entries - 1;
        ((uint*)_rings)[18] = _cqEntries - 1;
        return (nint)memory;
    }

    public int Enter(int fd, uint toSubmit, uint minComplete, uint flags, void* argument, nuint argumentSize)
    {
        EnterFlags.Add(flags);
        EntersBehindCancel += _isCancelled ? 1 : 0;
        if ((SetupFlags[^1] & IoUringAbi.SetupSqPoll) != 0)
            return EnterPolled(toSubmit, minComplete, flags);
        int? answer = OnEnter(toSubmit);
        if (answer < 0)
            return answer.Value;
        if ((flags & IoUringAbi.EnterGetEvents) != 0)
            Flush();
        uint taken = Math.Min(toSubmit, (uint)(answer ?? int.MaxValue));
        for (uint i = 0; i < taken; i++)
            Run(_sqes[SqHead++ & (_entries - 1)]);
        ReleaseSome();
        bool isMissing = CqTail - CqHead < minComplete && taken == toSubmit;
        return isMissing && taken == 0 ? -Errno.ETIME : (int)taken;
    }

    /// <summary>The polling thread takes the published entries.</summary>
    public void Poll()
    {
        while (SqHead != SqTail)
            Run(_sqes[SqHead++ & (_entries - 1)]);
    }

    /// <summary>Marks in the ring that the polling thread sleeps.</summary>
    public void FallAsleep()
    {
        IsAsleep = true;
        SqFlags |= IoUringAbi.SqNeedWakeup;
    }

    public int Register(int fd, uint operation, void* argument, uint count)
    {
        int errno = OnRegister(operation);
        if (errno != 0)
            return -errno;
        return operation is IoUringAbi.RegisterRingFds or IoUringAbi.UnregisterRingFds ? 1 : 0;
    }

    public void Unmap(nint address, nuint length)
    {
        Mapped--;
        NativeMemory.Free((void*)address);
        if (address == (nint)_rings)
            _rings = null;
        else
            _sqes = null;
    }

    public void Close(int fd) => Opened--;

    /// <summary>Completes the held reads.</summary>
    public void ReleaseHeld()
    {
        foreach ((ulong userData, int result) in _held)
            Post(userData, result);
        _held.Clear();
    }

    /// <summary>Posts a completion without a read.</summary>
    public void PostStray(ulong userData) => Post(userData, 1);

    public void Dispose()
    {
        NativeMemory.Free(_rings);
        NativeMemory.Free(_sqes);
    }

    private int EnterPolled(uint toSubmit, uint minComplete, uint flags)
    {
        if ((flags & IoUringAbi.EnterSqWakeup) != 0)
        {
            IsAsleep = false;
            SqFlags &= ~IoUringAbi.SqNeedWakeup;
        }

        if (!IsAsleep && !IsLate)
            Poll();
        return CqTail - CqHead < minComplete ? -Errno.ETIME : (int)toSubmit;
    }

    private void Run(in IoUringSqe sqe)
    {
        Opcodes.Add(sqe.Opcode);
        if (sqe.Opcode == IoUringAbi.OpAsyncCancel)
        {
            Post(sqe.UserData, CancelResult ?? _held.Count);
            _isCancelled = true;
            if (!ObeysCancel)
                return;
            foreach ((ulong userData, _) in _held)
                Post(userData, -Errno.ECANCELED);
            _held.Clear();
            return;
        }

        int count = (int)Math.Clamp(file.Length - (long)sqe.Offset, 0, sqe.Length);
        if (count > 0)
            file.AsSpan((int)sqe.Offset, count).CopyTo(new Span<byte>((void*)sqe.Address, count));
        int result = ForcedResult ?? OnResult(_reads++, count);
        if (Holds || Disorder is not null)
            _held.Add((sqe.UserData, result));
        else
            Post(sqe.UserData, result);
        if (Duplicates)
            Post(sqe.UserData, result);
    }

    private void ReleaseSome()
    {
        for (int left = _held.Count; Disorder is not null && left > 0; left--)
        {
            int index = Disorder.Next(_held.Count);
            if (Disorder.Next(2) == 0)
                continue;
            Post(_held[index].UserData, _held[index].Result);
            _held.RemoveAt(index);
        }
    }

    private void Post(ulong userData, int result)
    {
        if (_overflown.Count > 0 || CqTail - CqHead >= Math.Min(_cqEntries, CqLimit))
        {
            _overflown.Enqueue((userData, result));
            SqFlags |= IoUringAbi.SqCqOverflow;
            return;
        }

        IoUringCqe* cqe = (IoUringCqe*)(_rings + CqesAt) + (CqTail & (_cqEntries - 1));
        cqe->UserData = userData;
        cqe->Result = result;
        CqTail++;
    }

    private void Flush()
    {
        Queue<(ulong UserData, int Result)> waiting = new(_overflown);
        _overflown.Clear();
        SqFlags &= ~IoUringAbi.SqCqOverflow;
        foreach ((ulong userData, int result) in waiting)
            Post(userData, result);
    }
}
