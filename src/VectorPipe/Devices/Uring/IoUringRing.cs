using System.Diagnostics;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Uring;

/// <summary>One io_uring: its two queues of entries and its registrations. <see cref="IoUringQueue"/> decides when to use them.</summary>
/// <remarks>
/// <para>Single-threaded. Where the kernel supports a single issuer, any thread can set the ring up, and <see cref="Enable"/> binds it to
/// the calling thread (io_uring_setup(2), IORING_SETUP_R_DISABLED).</para>
/// <para>Memory ordering, io_uring(7): this side stores the submission tail and the completion head with release, after it has written or
/// copied the entries. It loads with acquire everything that the kernel stores: submission head, completion tail, flags.</para>
/// </remarks>
internal sealed unsafe class IoUringRing
{
    /// <summary>Registered buffers are at most 1 GiB each (io_uring_register(2)); larger slabs are registered in pieces.</summary>
    private const int BufferShift = 30;

    private const int MaxBuffers = 64;

    private readonly IUringSystem _system;
    private readonly int _fd;
    private readonly nuint _ringsLength;
    private readonly nuint _sqesLength;
    private nint _rings;
    private nint _sqes;

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

    /// <summary>Takes a ring over that <see cref="IoUringSetup"/> has set up and mapped.</summary>
    public IoUringRing(IUringSystem system, int fd, in IoUringParams setup, nint rings, nuint ringsLength, nint sqes, nuint sqesLength)
    {
        _system = system;
        _fd = fd;
        _enterFd = fd;
        SetupFlags = setup.Flags;
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
            // Entry i always lies at index i, so the index array is filled once.
            uint* array = (uint*)(start + setup.SqOffsets.Array);
            for (uint i = 0; i <= _sqMask; i++)
                array[i] = i;
        }
    }

    /// <summary>Entries that the kernel has not consumed, by its own head: the results of enters are not added up.</summary>
    /// <remarks>Acquire, io_uring(7): an entry may be written again only after the kernel has moved its head past it.</remarks>
    public uint Unsubmitted => _tail - Volatile.Read(ref *_sqHead);

    /// <summary>Whether a kernel thread consumes the entries without system calls.</summary>
    public bool IsSqPolled => (SetupFlags & IoUringAbi.SetupSqPoll) != 0;

    /// <summary>Whether only an enter moves the kernel's completions into the queue.</summary>
    /// <remarks>Acquire, io_uring_setup(2), IORING_SETUP_TASKRUN_FLAG: the kernel sets these flags while this thread runs.</remarks>
    public bool HasWorkInKernel => (Volatile.Read(ref *_sqFlags) & (IoUringAbi.SqCqOverflow | IoUringAbi.SqTaskrun)) != 0;

    /// <summary>Whether completions wait in the kernel because the queue was full (io_uring_setup(2), IORING_FEAT_NODROP).</summary>
    public bool IsOverflown => (Volatile.Read(ref *_sqFlags) & IoUringAbi.SqCqOverflow) != 0;

    public uint SetupFlags { get; }

    /// <summary>Whether entries name files by their registered numbers.</summary>
    public bool HasRegisteredFiles { get; private set; }

    /// <summary>Whether the slab is registered, so that the kernel need not pin its pages for each read.</summary>
    public bool HasRegisteredBuffers => _bufferLength != 0;

    public long Enters { get; private set; }

    /// <summary>Registers the files under their numbers; false if the kernel refuses, which only makes reads a little slower.</summary>
    public bool TryRegisterFiles(DeviceFiles files)
    {
        int[] descriptors = new int[files.Count];
        for (int i = 0; i < descriptors.Length; i++)
            descriptors[i] = files[i].Descriptor;
        fixed (int* first = descriptors)
            HasRegisteredFiles = _system.Register(_fd, IoUringAbi.RegisterFiles, first, (uint)descriptors.Length) >= 0;
        return HasRegisteredFiles;
    }

    /// <summary>Registers the slab.</summary>
    /// <param name="address">Its first byte.</param>
    /// <param name="length">Its bytes.</param>
    /// <param name="attempts">Attempts for which the kernel may lack memory.</param>
    /// <returns>0, or an errno. ENOMEM, EPERM: the locked-memory limit; EFAULT: not plain memory.</returns>
    public int TryRegisterBuffers(nint address, nuint length, int attempts)
    {
        const nuint piece = (nuint)1 << BufferShift;
        int count = (int)((length + piece - 1) >> BufferShift);
        if (count > MaxBuffers)
            return Errno.ENOMEM;
        nuint* vectors = stackalloc nuint[2 * MaxBuffers];
        for (int i = 0; i < count; i++)
        {
            nuint start = (nuint)i << BufferShift;
            vectors[2 * i] = (nuint)address + start;
            vectors[(2 * i) + 1] = Math.Min(piece, length - start);
        }

        int result = _system.Register(_fd, IoUringAbi.RegisterBuffers, vectors, (uint)count);
        for (int attempt = 1; result == -Errno.ENOMEM && attempt < attempts; attempt++)
        {
            IoUringSetup.AwaitMemory();
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
        if ((SetupFlags & IoUringAbi.SetupDisabled) != 0)
        {
            int result = _system.Register(_fd, IoUringAbi.RegisterEnableRings, null, 0);
            if (result < 0)
                throw new DeviceException("io_uring_register (enable ring)", -result);
        }

        // struct io_uring_rsrc_update { u32 offset, resv; u64 data }; offset -1 takes any free place. A thread has 16; then EBUSY.
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

    /// <summary>Writes an entry that cancels everything in flight.</summary>
    public void AddCancelAll(ulong userData)
    {
        IoUringSqe* sqe = Next();
        sqe->Opcode = IoUringAbi.OpAsyncCancel;
        sqe->Fd = -1;
        sqe->OperationFlags = IoUringAbi.CancelAll | IoUringAbi.CancelAny;
        sqe->UserData = userData;
    }

    /// <summary>Takes back the entries that the kernel has not consumed and cannot consume, oldest first.</summary>
    /// <remarks>
    /// Without a polling kernel thread, the kernel consumes entries only inside an enter. A polling thread may hold any published entry.
    /// </remarks>
    /// <param name="takenBack">Receives the user data of each.</param>
    public void TakeBackUnsubmitted(Action<ulong> takenBack)
    {
        uint first = IsSqPolled ? *_sqTail : Volatile.Read(ref *_sqHead);
        for (uint i = first; i != _tail; i++)
            takenBack(((IoUringSqe*)_sqes)[i & _sqMask].UserData);
        _tail = first;
        Volatile.Write(ref *_sqTail, _tail);
    }

    /// <summary>Publishes the entries to the polling kernel thread, and wakes the thread if it sleeps.</summary>
    /// <returns>0, or -errno.</returns>
    public int Publish()
    {
        PublishTail();
        if (!NeedsWakeup())
            return 0;
        Enters++;
        int result = _system.Enter(_enterFd, Unsubmitted, 0, _enterFlags | IoUringAbi.EnterSqWakeup, null, 0);
        return Math.Min(result, 0);
    }

    /// <summary>Calls io_uring_enter(2) once.</summary>
    /// <param name="toSubmit">The most entries to consume.</param>
    /// <param name="minComplete">Completions to wait for; 0 for none.</param>
    /// <param name="getEvents">Whether to move completions into the queue; a wait implies it.</param>
    /// <param name="timeout">Bound of the wait.</param>
    /// <returns>Entries consumed, or -errno (-ETIME after a time-out).</returns>
    public int Enter(uint toSubmit, uint minComplete, bool getEvents, TimeSpan timeout)
    {
        PublishTail();
        Enters++;
        uint flags = _enterFlags | (getEvents || minComplete > 0 ? IoUringAbi.EnterGetEvents : 0);
        if (IsSqPolled && NeedsWakeup())
            flags |= IoUringAbi.EnterSqWakeup;
        if (minComplete == 0)
            return _system.Enter(_enterFd, toSubmit, 0, flags, null, 0);
        IoUringWait wait = default;
        wait.TimeAddress = (ulong)&wait.Seconds;
        wait.Seconds = timeout.Ticks / TimeSpan.TicksPerSecond;
        wait.Nanoseconds = timeout.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick;
        return _system.Enter(_enterFd, toSubmit, minComplete, flags | IoUringAbi.EnterExtArg, &wait, IoUringWait.ArgumentSize);
    }

    /// <summary>Copies the oldest completions out and frees their places.</summary>
    /// <returns>How many; 0 when the queue is empty.</returns>
    public int TakeCompletions(Span<IoUringCqe> completions)
    {
        // Acquire, io_uring(7): load the tail before the entries that it announces.
        uint available = Volatile.Read(ref *_cqTail) - _completionHead;
        int count = (int)Math.Min(available, (uint)completions.Length);
        for (int i = 0; i < count; i++)
            completions[i] = _cqes[(_completionHead + (uint)i) & _cqMask];
        _completionHead += (uint)count;
        // Release, io_uring(7): copy the entries before the head tells the kernel that their places are free.
        if (count > 0)
            Volatile.Write(ref *_cqHead, _completionHead);
        return count;
    }

    /// <summary>Closes the ring. Idempotent.</summary>
    /// <param name="isOwner">Whether the thread that enabled the ring calls; only it can return its registered descriptor.</param>
    /// <param name="leakMappings">Whether to leave the memory mapped because the kernel still works with the ring.</param>
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

    // Release, io_uring(7): write the entries before the tail that announces them.
    private void PublishTail() => Volatile.Write(ref *_sqTail, _tail);

    private bool NeedsWakeup()
    {
        // Full barrier, io_uring_setup(2), IORING_SETUP_SQPOLL: store the tail before loading the flag. The kernel thread sets the flag
        // before it looks at the tail a last time, so one of both sees the other's store.
        Interlocked.MemoryBarrier();
        return (Volatile.Read(ref *_sqFlags) & IoUringAbi.SqNeedWakeup) != 0;
    }

    private IoUringSqe* Next()
    {
        Debug.Assert(Unsubmitted <= _sqMask, "The submission queue holds more entries than reads can be in flight.");
        IoUringSqe* sqe = (IoUringSqe*)_sqes + (_tail++ & _sqMask);
        *sqe = default;
        return sqe;
    }
}
