namespace VectorPipe.Tests.Devices;

/// <summary>A promise that a device breaks.</summary>
internal enum Flaw
{
    None,
    WrongLength,
    WrongPlace,
    OneFile,
    NeverShort,
    WritesBeyond,
    BuffersAnywhere,
    MisalignedReads,
    LosesReads,
    AnyCapacity,
    LeaksBuffers,
    UsedAfterDisposal,
    DisposedUnderQueues,
    OpensAfterDisposal,
    AnyThread,
}
