namespace VectorPipe.Tests.Devices;

/// <summary>Devices that tests name: the kinds that users choose, and memory that other threads serve.</summary>
public enum TestDevice
{
    Auto,
    Uring,
    Portable,
    Memory,
    MemoryRing,
}
