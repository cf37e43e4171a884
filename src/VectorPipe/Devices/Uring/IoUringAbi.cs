namespace VectorPipe.Devices.Uring;

/// <summary>Constants of the io_uring interface: io_uring_setup(2), io_uring_enter(2), io_uring_register(2).</summary>
internal static class IoUringAbi
{
    public const uint SetupSqPoll = 1u << 1;
    public const uint SetupCqSize = 1u << 3;
    public const uint SetupDisabled = 1u << 6;
    public const uint SetupSubmitAll = 1u << 7;
    public const uint SetupCoopTaskrun = 1u << 8;
    public const uint SetupTaskrunFlag = 1u << 9;
    public const uint SetupSingleIssuer = 1u << 12;
    public const uint SetupDeferTaskrun = 1u << 13;
    public const uint SetupNoSqArray = 1u << 16;

    public const uint FeatureSingleMmap = 1u << 0;
    public const uint FeatureNoDrop = 1u << 1;
    public const uint FeatureExtArg = 1u << 8;

    public const uint EnterGetEvents = 1u << 0;
    public const uint EnterSqWakeup = 1u << 1;
    public const uint EnterExtArg = 1u << 3;
    public const uint EnterRegisteredRing = 1u << 4;

    public const uint SqNeedWakeup = 1u << 0;
    public const uint SqCqOverflow = 1u << 1;
    public const uint SqTaskrun = 1u << 2;

    public const uint RegisterBuffers = 0;
    public const uint RegisterFiles = 2;
    public const uint RegisterEnableRings = 12;
    public const uint RegisterRingFds = 20;
    public const uint UnregisterRingFds = 21;

    public const byte OpReadFixed = 4;
    public const byte OpAsyncCancel = 14;
    public const byte OpRead = 22;

    public const byte SqeFixedFile = 1 << 0;
    public const uint CancelAll = 1u << 0;
    public const uint CancelAny = 1u << 2;

    public const long OffsetSqRing = 0;
    public const long OffsetSqes = 0x10000000;
}
