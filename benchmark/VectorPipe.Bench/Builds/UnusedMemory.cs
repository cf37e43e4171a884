using System.Runtime.InteropServices;

namespace VectorPipe.Bench.Builds;

/// <summary>Memory that the process has freed but not returned.</summary>
internal static unsafe class UnusedMemory
{
    /// <summary>Returns unused memory of the managed heap, and of malloc with glibc, to the operating system.</summary>
    public static void Release()
    {
#pragma warning disable RS0030 // A measurement of memory must not reuse the garbage of earlier work.
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
