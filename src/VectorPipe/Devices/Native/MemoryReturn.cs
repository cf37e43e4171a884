using System.Diagnostics;
using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Native;

/// <summary>Returns ranges of reserved memory to the system, many in one call where it can.</summary>
/// <remarks>
/// Each call interrupts the other processors that run threads of the process, to drop the addresses. For single blocks of 4 KiB that costs
/// more than the reads that replace them, so one call returns many ranges. Linux allows that to a process itself since 6.13; older kernels
/// take one call a range, and so do other systems. Not thread-safe.
/// </remarks>
internal sealed unsafe class MemoryReturn : IDisposable
{
    /// <summary>Most ranges of a call.</summary>
    public const int Capacity = 64;

    private readonly Range[] _ranges = new Range[Capacity];
    private int _processHandle;

    private readonly IReservedMemory _memory;

    /// <param name="memory">What the ranges were reserved of.</param>
    /// <param name="inOneCall">Whether to try many ranges in one call.</param>
    public MemoryReturn(IReservedMemory memory, bool inOneCall = true)
    {
        _memory = memory;
        _processHandle = inOneCall && memory is LinuxReservedMemory
            ? (int)Libc.Syscall(Libc.PidfdOpen, Environment.ProcessId, 0, 0, 0, 0, 0)
            : -1;
    }

    public int Count { get; private set; }

    /// <summary>Whether the kernel has not refused ranges in one call.</summary>
    public bool IsInOneCall => _processHandle >= 0;

    /// <summary>Adds a range of whole pages; nothing may touch it before <see cref="Flush"/> has returned.</summary>
    public void Add(byte* first, long length)
    {
        Debug.Assert(Count < Capacity, "the caller flushes a full list");
        _ranges[Count++] = new Range((nint)first, (nuint)length);
    }

    /// <summary>Returns the added ranges.</summary>
    public void Flush()
    {
        int count = Count;
        Count = 0;
        if (count > 1 && IsInOneCall && TryInOneCall(count))
            return;
        for (int i = 0; i < count; i++)
            _memory.GiveBack((byte*)_ranges[i].First, (long)_ranges[i].Length);
    }

    public void Dispose()
    {
        if (_processHandle >= 0)
            _ = Libc.Close(_processHandle);
        _processHandle = -1;
    }

    private bool TryInOneCall(int count)
    {
        long bytes = 0;
        for (int i = 0; i < count; i++)
            bytes += (long)_ranges[i].Length;
        fixed (Range* ranges = _ranges)
        {
            if (Libc.Syscall(Libc.ProcessMadvise, _processHandle, (nint)ranges, count, Libc.MADV_DONTNEED, 0, 0) == bytes)
                return true;
        }

        // A range may be returned twice without harm. A kernel that refuses once refuses always.
        Dispose();
        return false;
    }

    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Range(nint First, nuint Length);
}
