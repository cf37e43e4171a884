using System.Runtime.InteropServices;

namespace VectorPipe.Bench.Builds;

/// <summary>Memory that the process has freed and yet keeps.</summary>
internal static unsafe class UnusedMemory
{
    /// <summary>
    /// Gives it back to the operating system, as far as it can be: that of the managed heap, and that of malloc where the C library can
    /// (glibc).
    /// </summary>
    public static void Release()
    {
#pragma warning disable RS0030 // A measurement of memory: what earlier work left behind must not be reused unseen.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        GC.WaitForPendingFinalizers();
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
#pragma warning restore RS0030
        if (OperatingSystem.IsLinux() && NativeLibrary.TryLoad("libc.so.6", out nint libc))
        {
            // malloc_trim(3); musl has none.
            if (NativeLibrary.TryGetExport(libc, "malloc_trim", out nint trim))
                _ = ((delegate* unmanaged<nuint, int>)trim)(0);
            NativeLibrary.Free(libc);
        }
    }
}
