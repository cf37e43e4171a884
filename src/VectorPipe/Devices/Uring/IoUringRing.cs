using System.Diagnostics;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Uring;

/// <summary>
/// One io_uring: its mappings, its two queues and its registrations. Knows entries and user data, not reads; policy lies in
/// <see cref="IoUringQueue"/>.
/// </summary>
/// <remarks>
/// <para>Single-threaded. Where the kernel supports a single issuer the ring is created disabled, so that it can be set up by any
/// thread, and is bound to the thread that calls <see cref="Enable"/>.</para>
/// <para>Barriers (io_uring(7), "memory ordering"): the submission tail is stored with release after the entries are written, and the
/// completion head with release after the entries are copied out, so that the kernel sees neither early; the kernel's own stores
/// (submission head, completion tail, flags) are loaded with acquire.</para>
/// </remarks>
internal sealed unsafe class IoUringRing
{
    /// <summary>Registered buffers are at most 1 GiB each; larger slabs are registered in pieces of that size.</summary>
    private const int BufferShift = 30;

    private const int MemoryAttempts = 50;
    private const int MemoryWaitMs = 2;

    /// <summary>Set-up flags from the best to the plainest; each line drops what the next older kernels do not know.</summary>
    private static readonly uint[] _flagSteps =
    [
        IoUringAbi.SetupSingleIssuer | IoUringAbi.SetupDeferTaskrun | IoUringAbi.SetupTaskrunFlag | IoUringAbi.SetupDisabled
            | IoUringAbi.SetupSubmitAll | IoUringAbi.SetupCqSize | IoUringAbi.SetupNoSqArray,
        IoUringAbi.SetupSingleIssuer | IoUringAbi.SetupDeferTaskrun | IoUringAbi.SetupTaskrunFlag | IoUringAbi.SetupDisabled
            | IoUringAbi.SetupSubmitAll | IoUringAbi.SetupCqSize,
        IoUringAbi.SetupSingleIssuer | IoUringAbi.SetupCoopTaskrun | IoUringAbi.SetupTaskrunFlag | IoUringAbi.SetupDisabled
            | IoUringAbi.SetupSubmitAll | IoUringAbi.SetupCqSize,
        IoUringAbi.SetupCoopTaskrun | IoUringAbi.SetupTaskrunFlag | IoUringAbi.SetupSubmitAll | IoUringAbi.SetupCqSize,
        IoUringAbi.SetupSubmitAll | IoUringAbi.SetupCqSize,
        IoUringAbi.SetupCqSize,
        0,
    ];

    /// <summary>
    /// With a kernel thread that polls: it makes deferred completions impossible, which ask for the submitter's own calls.
    /// </summary>
    private static readonly uint[] _pollFlagSteps =
    [
        IoUringAbi.SetupSqPoll | IoUringAbi.SetupSingleIssuer | IoUringAbi.SetupDisabled | IoUringAbi.SetupSubmitAll
            | IoUringAbi.SetupCqSize
            | IoUringAbi.SetupNoSqArray,
        IoUringAbi.SetupSqPoll | IoUringAbi.SetupSingleIssuer | IoUringAbi.SetupDisabled | IoUringAbi.SetupSubmitAll
            | IoUringAbi.SetupCqSize,
        IoUringAbi.SetupSqPoll | IoUringAbi.SetupCqSize,
    ];

    private readonly IUringSystem _system;
    private readonly int _fd;
    private readonly uint _setupFlags;
    private nint _rings;
    private readonly nuint _ringsLength;
    private nint _sqes;
    private readonly nuint _sqesLength;

    private readonly uint* _sqHead;
    private readonly uint* _sqTail;
    private readonly uint* _sqFlags;
    private readonly uint _sqMask;
    private readonly uint* _cqHead;
    private readonly uint* _cqTail;
    private readonly uint _cqMask;
    private readonly IoUringCqe* _cqes;

    private uint _tail;
    private uint _completionHead;
    private int _enterFd;
    private uint _enterFlags;
    private bool _hasRegisteredRing;
    private nint _bufferBase;
    private nuint _bufferLength;

    private IoUringRing(IUringSystem system, int fd, in IoUringParams setup, nint rings, nuint ringsLength, nint sqes, nuint sqesLength)
    {
        _system = system;
        _fd = fd;
        _enterFd = fd;
        _setupFlags = setup.Flags;
        _rings = rings;
        _ringsLength = ringsLength;
        _sqes = sqes;
        _sqesLength = sqesLength;

        byte* start = (byte*)rings;
        _sqHead = (uint*)(start + setup.SqOffsets.Head);
        _sqTail = (uint*)(start + setup.SqOffsets.Tail);
        _sqFlags = (uint*)(start + setup.SqOffsets.Flags);
        _sqMask = *(uint*)(start + setup.SqOffsets.RingMask);
        _cqHead = (uint*)(start + setup.CqOffsets.Head);
        _cqTail = (uint*)(start + setup.CqOffsets.Tail);
        _cqMask = *(uint*)(start + setup.CqOffsets.RingMask);
        _cqes = (IoUringCqe*)(start + setup.CqOffsets.Cqes);
        _tail = *_sqTail;
        _completionHead = *_cqHead;
        if ((setup.Flags & IoUringAbi.SetupNoSqArray) == 0)
        {
            // Entry i always lies at index i: the indirection is filled once and never touched again.
            uint* array = (uint*)(start + setup.SqOffsets.Array);
            for (uint i = 0; i <= _sqMask; i++)
                array[i] = i;
        }
    }

    /// <summary>Entries written and not yet consumed by the kernel. Its head is the truth: return values are not added up.</summary>
    public uint Unsubmitted => _tail - Volatile.Read(ref *_sqHead);

    /// <summary>Whether a kernel thread consumes the entries by itself.</summary>
    public bool IsSqPolled => (_setupFlags & IoUringAbi.SetupSqPoll) != 0;

    /// <summary>Whether the kernel has completions that only an enter brings into the queue.</summary>
    public bool HasWorkInKernel => (Volatile.Read(ref *_sqFlags) & (IoUringAbi.SqCqOverflow | IoUringAbi.SqTaskrun)) != 0;

    /// <summary>Whether completions did not fit into the queue and wait in the kernel.</summary>
    public bool IsOverflown => (Volatile.Read(ref *_sqFlags) & IoUringAbi.SqCqOverflow) != 0;

    /// <summary>The set-up flags that the kernel took.</summary>
    public uint SetupFlags => _setupFlags;

    /// <summary>Whether entries name the registered files by their numbers.</summary>
    public bool HasRegisteredFiles { get; private set; }

    /// <summary>Whether the slab is registered, so that its reads need no pinning.</summary>
    public bool HasRegisteredBuffers => _bufferLength != 0;

    /// <summary>Enters made.</summary>
    public long Enters { get; private set; }

    /// <summary>Sets a ring up, with the best flags that the kernel knows.</summary>
    /// <exception cref="DeviceException">Refused; names the call, its errno and what can be done.</exception>
    public static IoUringRing Create(IUringSystem system, int capacity, bool isSqPolled = false, int sqIdleMs = 0)
    {
        uint[] steps = isSqPolled ? _pollFlagSteps : _flagSteps;
        int fd = SetUp(system, steps, capacity, sqIdleMs, out IoUringParams setup);

        // The kernel takes a closed ring apart a moment later, and charges its memory to the user's locked-memory limit until then.
        for (int attempt = 0; fd == -Errno.ENOMEM && attempt < MemoryAttempts; attempt++)
        {
            AwaitMemory();
            fd = SetUp(system, steps, capacity, sqIdleMs, out setup);
        }

        if (fd < 0)
            throw new DeviceException(DeviceAdvice.ForSetup(-fd), -fd);
        const uint required = IoUringAbi.FeatureSingleMmap | IoUringAbi.FeatureNoDrop | IoUringAbi.FeatureExtArg;
        if ((setup.Features & required) != required)
        {
            system.Close(fd);
            throw new DeviceException(
                $"io_uring needs Linux 5.11 or newer (waits with a time-out): expected features 0x{required:x}, found "
                + $"0x{setup.Features:x}; "
                + "use the portable device");
        }

        return Map(system, fd, setup);
    }

    /// <summary>Gives the kernel time to take closed rings apart.</summary>
    private static void AwaitMemory() => SpinWait.SpinUntil(static () => false, MemoryWaitMs);

    private static int SetUp(IUringSystem system, uint[] steps, int capacity, int sqIdleMs, out IoUringParams result)
    {
        IoUringParams setup = default;
        int fd = -Errno.EINVAL;
        for (int step = 0; step < steps.Length && fd == -Errno.EINVAL; step++)
        {
            setup = default;
            setup.Flags = steps[step];
            setup.SqThreadIdle = (uint)sqIdleMs;
            // Twice the reads in flight: completions never overflow, whatever the burst.
            setup.CqEntries = (setup.Flags & IoUringAbi.SetupCqSize) != 0 ? 2 * (uint)capacity : 0;
            fd = system.Setup((uint)capacity, &setup);
        }

        result = setup;
        return fd;
    }

    /// <summary>Registers the files under their numbers; false if the kernel refuses, which costs a little time per read only.</summary>
    public bool TryRegisterFiles(DeviceFiles files)
    {
        int[] descriptors = new int[files.Count];
        for (int i = 0; i < descriptors.Length; i++)
            descriptors[i] = files[i].Descriptor;
        fixed (int* first = descriptors)
            HasRegisteredFiles = _system.Register(_fd, IoUringAbi.RegisterFiles, first, (uint)descriptors.Length) >= 0;
        return HasRegisteredFiles;
    }

    /// <summary>
    /// Registers the slab; 0, or the errno of the refusal (ENOMEM, EPERM: locked-memory limit; EFAULT: not plain memory).
    /// </summary>
    /// <param name="address">Its first byte.</param>
    /// <param name="length">Its bytes.</param>
    /// <param name="attempts">How often a refusal for want of memory is repeated, this time included.</param>
    public int TryRegisterBuffers(nint address, nuint length, int attempts = 1)
    {
        const nuint piece = (nuint)1 << BufferShift;
        int count = (int)((length + piece - 1) >> BufferShift);
        nuint* vectors = stackalloc nuint[2 * Math.Min(count, 64)];
        if (count > 64)
            return Errno.ENOMEM;
        for (int i = 0; i < count; i++)
        {
            nuint start = (nuint)i << BufferShift;
            vectors[2 * i] = (nuint)address + start;
            vectors[(2 * i) + 1] = Math.Min(piece, length - start);
        }

        int result = _system.Register(_fd, IoUringAbi.RegisterBuffers, vectors, (uint)count);
        for (int attempt = 1; result == -Errno.ENOMEM && attempt < attempts; attempt++)
        {
            AwaitMemory();
            result = _system.Register(_fd, IoUringAbi.RegisterBuffers, vectors, (uint)count);
        }

        if (result < 0)
            return -result;
        _bufferBase = address;
        _bufferLength = length;
        return 0;
    }

    /// <summary>Binds the ring to the calling thread and registers its descriptor there.</summary>
    /// <exception cref="DeviceException">The kernel does not enable the ring.</exception>
    public void Enable()
    {
        if ((_setupFlags & IoUringAbi.SetupDisabled) != 0)
        {
            int result = _system.Register(_fd, IoUringAbi.RegisterEnableRings, null, 0);
            if (result < 0)
                throw new DeviceException("io_uring_register (enable ring)", -result);
        }

        // struct io_uring_rsrc_update { u32 offset, resv; u64 data }; offset -1: any free place. A thread has 16; beyond: EBUSY.
        ulong* update = stackalloc ulong[2];
        update[0] = uint.MaxValue;
        update[1] = (uint)_fd;
        if (_system.Register(_fd, IoUringAbi.RegisterRingFds, update, 1) != 1)
            return;
        _enterFd = (int)(uint)update[0];
        _enterFlags = IoUringAbi.EnterRegisteredRing;
        _hasRegisteredRing = true;
    }

    /// <summary>Writes a read into the next entry. The caller keeps unsubmitted entries below the ring's size.</summary>
    public void AddRead(DeviceRead read, int fileFd, ulong userData)
    {
        IoUringSqe* sqe = Next();
        nuint start = (nuint)(read.Address - _bufferBase);
        nuint last = start + (nuint)read.Length - 1;
        bool isFixed = start < _bufferLength && (start >> BufferShift) == (last >> BufferShift);
        sqe->Opcode = isFixed ? IoUringAbi.OpReadFixed : IoUringAbi.OpRead;
        sqe->BufferIndex = isFixed ? (ushort)(start >> BufferShift) : (ushort)0;
        sqe->Flags = HasRegisteredFiles ? IoUringAbi.SqeFixedFile : (byte)0;
        sqe->Fd = HasRegisteredFiles ? read.File : fileFd;
        sqe->Offset = (ulong)read.Offset;
        sqe->Address = (ulong)read.Address;
        sqe->Length = (uint)read.Length;
        sqe->UserData = userData;
    }

    /// <summary>Writes an entry that cancels all that is in flight.</summary>
    public void AddCancelAll(ulong userData)
    {
        IoUringSqe* sqe = Next();
        sqe->Opcode = IoUringAbi.OpAsyncCancel;
        sqe->Fd = -1;
        sqe->OperationFlags = IoUringAbi.CancelAll | IoUringAbi.CancelAny;
        sqe->UserData = userData;
    }

    /// <summary>
    /// Takes back all entries that the kernel has not consumed and cannot consume, oldest first. A polling kernel thread may be looking at
    /// any entry that was published; without one nothing is consumed outside an enter.
    /// </summary>
    /// <param name="takenBack">Called with the user data of each.</param>
    public void TakeBackUnsubmitted(Action<ulong> takenBack)
    {
        uint first = IsSqPolled ? *_sqTail : Volatile.Read(ref *_sqHead);
        for (uint i = first; i != _tail; i++)
            takenBack(((IoUringSqe*)_sqes)[i & _sqMask].UserData);
        _tail = first;
        Volatile.Write(ref *_sqTail, _tail);
    }

    /// <summary>
    /// Shows the kernel's polling thread what was written, and wakes it if it has gone to sleep. Only for a ring that is polled.
    /// </summary>
    /// <returns>0, or -errno.</returns>
    public int Publish()
    {
        Volatile.Write(ref *_sqTail, _tail);
        // The thread sets its flag and then looks at the tail once more; here it is the other way round, so one of both sees the other.
        Interlocked.MemoryBarrier();
        if ((Volatile.Read(ref *_sqFlags) & IoUringAbi.SqNeedWakeup) == 0)
            return 0;
        Enters++;
        int result = _system.Enter(_enterFd, Unsubmitted, 0, _enterFlags | IoUringAbi.EnterSqWakeup, null, 0);
        return Math.Min(result, 0);
    }

    /// <summary>One io_uring_enter(2).</summary>
    /// <param name="toSubmit">Entries to consume at most.</param>
    /// <param name="minComplete">Completions to wait for; 0: none.</param>
    /// <param name="getEvents">Whether to bring completions into the queue (implied by a wait).</param>
    /// <param name="timeout">Bound of the wait.</param>
    /// <returns>Entries consumed, or -errno (-ETIME after a time-out).</returns>
    public int Enter(uint toSubmit, uint minComplete, bool getEvents, TimeSpan timeout)
    {
        // Release: the entries before their tail.
        Volatile.Write(ref *_sqTail, _tail);
        Enters++;
        uint flags = _enterFlags | (getEvents || minComplete > 0 ? IoUringAbi.EnterGetEvents : 0);
        if (IsSqPolled)
        {
            Interlocked.MemoryBarrier();
            flags |= (Volatile.Read(ref *_sqFlags) & IoUringAbi.SqNeedWakeup) != 0 ? IoUringAbi.EnterSqWakeup : 0;
        }

        if (minComplete == 0)
            return _system.Enter(_enterFd, toSubmit, 0, flags, null, 0);
        IoUringWait wait = default;
        wait.TimeAddress = (ulong)&wait.Seconds;
        wait.Seconds = timeout.Ticks / TimeSpan.TicksPerSecond;
        wait.Nanoseconds = timeout.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick;
        return _system.Enter(
            _enterFd, toSubmit, minComplete, flags | IoUringAbi.EnterExtArg, &wait, IoUringWait.ArgumentSize);
    }

    /// <summary>Copies the oldest completions out and frees their places.</summary>
    /// <returns>How many; 0 when the queue is empty.</returns>
    public int TakeCompletions(Span<IoUringCqe> completions)
    {
        // Acquire: the entries after their tail.
        uint available = Volatile.Read(ref *_cqTail) - _completionHead;
        int count = (int)Math.Min(available, (uint)completions.Length);
        for (int i = 0; i < count; i++)
            completions[i] = _cqes[(_completionHead + (uint)i) & _cqMask];
        _completionHead += (uint)count;
        // Release: the places are given back after they were copied.
        if (count > 0)
            Volatile.Write(ref *_cqHead, _completionHead);
        return count;
    }

    /// <summary>Closes the ring. Idempotent.</summary>
    /// <param name="isOwner">Whether the thread that enabled the ring calls; only it can give its registered descriptor back.</param>
    /// <param name="leakMappings">Leaves the shared memory mapped because the kernel still works with the ring.</param>
    public void Close(bool isOwner, bool leakMappings)
    {
        if (_rings == 0)
            return;
        if (_hasRegisteredRing && isOwner)
        {
            ulong* update = stackalloc ulong[2];
            update[0] = (uint)_enterFd;
            update[1] = 0;
            _ = _system.Register(_fd, IoUringAbi.UnregisterRingFds, update, 1);
        }

        if (!leakMappings)
        {
            _system.Unmap(_sqes, _sqesLength);
            _system.Unmap(_rings, _ringsLength);
        }

        _rings = 0;
        _sqes = 0;
        _system.Close(_fd);
    }

    private static IoUringRing Map(IUringSystem system, int fd, in IoUringParams setup)
    {
        // With FEAT_SINGLE_MMAP one mapping holds both rings. Without the index array the completion entries end it.
        nuint sqEnd = setup.SqOffsets.Array + ((nuint)setup.SqEntries * sizeof(uint));
        nuint cqEnd = setup.CqOffsets.Cqes + ((nuint)setup.CqEntries * (nuint)sizeof(IoUringCqe));
        nuint ringsLength = (setup.Flags & IoUringAbi.SetupNoSqArray) != 0 ? cqEnd : Math.Max(sqEnd, cqEnd);
        nint rings = system.Map(fd, IoUringAbi.OffsetSqRing, ringsLength);
        if (IsError(rings))
        {
            system.Close(fd);
            throw new DeviceException("mmap of the io_uring rings", (int)-rings);
        }

        nuint sqesLength = (nuint)setup.SqEntries * (nuint)sizeof(IoUringSqe);
        nint sqes = system.Map(fd, IoUringAbi.OffsetSqes, sqesLength);
        if (IsError(sqes))
        {
            system.Unmap(rings, ringsLength);
            system.Close(fd);
            throw new DeviceException("mmap of the io_uring submission entries", (int)-sqes);
        }

        return new IoUringRing(system, fd, setup, rings, ringsLength, sqes, sqesLength);
    }

    private static bool IsError(nint address) => address is < 0 and > -4096;

    private IoUringSqe* Next()
    {
        Debug.Assert(Unsubmitted <= _sqMask, "The submission queue holds more entries than reads can be in flight.");
        IoUringSqe* sqe = (IoUringSqe*)_sqes + (_tail++ & _sqMask);
        *sqe = default;
        return sqe;
    }
}
