using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Native;

/// <summary>
/// Gives ranges of anonymous memory back to the system, many in one call where the kernel can: they are zeros when they are touched again.
/// </summary>
/// <remarks>
/// Every call makes the kernel interrupt the other processors that run threads of the process, to have them forget the addresses: one by
/// one, blocks of 4 KiB cost more than the
/// reads that take their place. A process may advise itself so since Linux 6.13; before, it is one call a range. Not thread-safe. Only for
/// Linux.
/// </remarks>
internal sealed unsafe class MemoryReturn : IDisposable
{
    /// <summary>Most ranges of a call.</summary>
    public const int Capacity = 64;

    private readonly Range[] _ranges = new Range[Capacity];
    private int _processHandle;

    /// <param name="inOneCall">Whether to try it.</param>
    public MemoryReturn(bool inOneCall = true) =>
        _processHandle = inOneCall ? (int)Libc.Syscall(Libc.PidfdOpen, Environment.ProcessId, 0, 0, 0, 0, 0) : -1;

    /// <summary>Ranges that wait for <see cref="Flush"/>.</summary>
    public int Count { get; private set; }

    /// <summary>Whether the kernel has not refused ranges in one call.</summary>
    public bool IsInOneCall => _processHandle >= 0;

    /// <summary>Adds a range, in whole pages; nobody may touch it before <see cref="Flush"/> has returned.</summary>
    public void Add(byte* first, long length)
    {
        Debug.Assert(Count < Capacity, "whoever adds the last range flushes");
        _ranges[Count++] = new Range((nint)first, (nuint)length);
    }

    /// <summary>Gives back what was added.</summary>
    /// <exception cref="InvalidOperationException">The system does not take it.</exception>
    public void Flush()
    {
        int count = Count;
        Count = 0;
        if (count > 1 && IsInOneCall && TryInOneCall(count))
            return;
        for (int i = 0; i < count; i++)
        {
            if (Libc.Madvise(_ranges[i].First, _ranges[i].Length, Libc.MADV_DONTNEED) != 0)
                throw new InvalidOperationException($"Cannot give back memory: {Errno.Describe(Marshal.GetLastPInvokeError())}");
        }
    }

    /// <summary>Closes the handle of the process.</summary>
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

        // Giving a range back twice does no harm. What was refused once will be refused again.
        Dispose();
        return false;
    }

    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Range(nint First, nuint Length);
}
