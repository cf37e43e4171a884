namespace VectorPipe.Tests.Devices;

/// <summary>The devices of tests: the kinds that users choose, and memory that other threads serve.</summary>
public enum TestDevice
{
    Auto,
    Uring,
    Portable,
    Memory,
    MemoryRing,
}
