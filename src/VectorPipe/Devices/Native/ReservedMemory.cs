namespace VectorPipe.Devices.Native;

/// <summary>The way of this operating system to reserve memory.</summary>
internal static class ReservedMemory
{
    /// <summary>Null where none is known.</summary>
    public static IReservedMemory? OfThisSystem { get; } =
        Libc.IsSupported ? new LinuxReservedMemory()
        : OperatingSystem.IsWindows() ? new WindowsReservedMemory()
        : OperatingSystem.IsMacOS() ? new MappedReservedMemory()
        : null;
}
