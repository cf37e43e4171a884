using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Uring;

/// <summary>Sets rings up with the best flags that the running kernel knows, and maps their memory.</summary>
internal static unsafe class IoUringSetup
{
    private const int MemoryAttempts = 50;
    private const int MemoryWaitMs = 2;

    private const uint Common = IoUringAbi.SetupSubmitAll | IoUringAbi.SetupCqSize;
    private const uint Single = IoUringAbi.SetupSingleIssuer | IoUringAbi.SetupDisabled | Common;
    private const uint Deferred = IoUringAbi.SetupDeferTaskrun | IoUringAbi.SetupTaskrunFlag | Single;
    private const uint Cooperative = IoUringAbi.SetupCoopTaskrun | IoUringAbi.SetupTaskrunFlag;

    /// <summary>Set-up flags from the best to the plainest; each step drops flags that older kernels do not know.</summary>
    private static readonly uint[] _flagSteps =
    [
        Deferred | IoUringAbi.SetupNoSqArray,
        Deferred,
        Cooperative | Single,
        Cooperative | Common,
        Common,
        IoUringAbi.SetupCqSize,
        0,
    ];

    /// <summary>
    /// The same with a polling kernel thread, which excludes deferred task work: that runs in the submitter's own calls
    /// (io_uring_setup(2), IORING_SETUP_DEFER_TASKRUN).
    /// </summary>
    private static readonly uint[] _pollFlagSteps =
    [
        IoUringAbi.SetupSqPoll | Single | IoUringAbi.SetupNoSqArray,
        IoUringAbi.SetupSqPoll | Single,
        IoUringAbi.SetupSqPoll | IoUringAbi.SetupCqSize,
    ];

    /// <summary>Sets a ring up.</summary>
    /// <exception cref="DeviceException">Refused; names the call, its errno, and a remedy.</exception>
    public static IoUringRing Open(IUringSystem system, int capacity, bool isSqPolled, int sqIdleMs)
    {
        uint[] steps = isSqPolled ? _pollFlagSteps : _flagSteps;
        int fd = TrySteps(system, steps, capacity, sqIdleMs, out IoUringParams setup);

        // The kernel releases a closed ring with a delay, and charges its memory to the user's locked-memory limit until then.
        for (int attempt = 0; fd == -Errno.ENOMEM && attempt < MemoryAttempts; attempt++)
        {
            AwaitMemory();
            fd = TrySteps(system, steps, capacity, sqIdleMs, out setup);
        }

        if (fd < 0)
            throw new DeviceException(Refusal(-fd), -fd);
        const uint required = IoUringAbi.FeatureSingleMmap | IoUringAbi.FeatureNoDrop | IoUringAbi.FeatureExtArg;
        if ((setup.Features & required) != required)
        {
            system.Close(fd);
            throw new DeviceException(
                $"io_uring needs Linux 5.11 or newer (waits with a time-out): expected features 0x{required:x}, found "
                + $"0x{setup.Features:x}; use the portable device");
        }

        return Map(system, fd, setup);
    }

    /// <summary>Gives the kernel time to release closed rings.</summary>
    public static void AwaitMemory() => SpinWait.SpinUntil(static () => false, MemoryWaitMs);

    private static int TrySteps(IUringSystem system, uint[] steps, int capacity, int sqIdleMs, out IoUringParams result)
    {
        IoUringParams setup = default;
        int fd = -Errno.EINVAL;
        for (int step = 0; step < steps.Length && fd == -Errno.EINVAL; step++)
        {
            setup = default;
            setup.Flags = steps[step];
            setup.SqThreadIdle = (uint)sqIdleMs;
            // Twice the reads in flight, so completions never overflow.
            setup.CqEntries = (setup.Flags & IoUringAbi.SetupCqSize) != 0 ? 2 * (uint)capacity : 0;
            fd = system.Setup((uint)capacity, &setup);
        }

        result = setup;
        return fd;
    }

    private static IoUringRing Map(IUringSystem system, int fd, in IoUringParams setup)
    {
        // One mapping holds both rings (io_uring_setup(2), IORING_FEAT_SINGLE_MMAP). Without an index array the completions end it.
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

    /// <summary>The text of a refused io_uring_setup(2); the description of the errno follows it.</summary>
    private static string Refusal(int errno) => errno switch
    {
        Errno.EPERM => "io_uring_setup was forbidden: check sysctl kernel.io_uring_disabled (0 allows it), "
            + "the container's seccomp profile (allow io_uring_setup, io_uring_enter and io_uring_register), or use the portable device",
        Errno.ENOSYS => "io_uring_setup is not known here: the kernel is older than 5.1 or the sandbox hides it; use the portable device",
        Errno.ENOMEM => "io_uring_setup got no memory: raise the locked-memory limit (ulimit -l), lower the queue capacity, "
            + "or use the portable device",
        _ => "io_uring_setup failed",
    };
}
