using System.Runtime.InteropServices;
using VectorPipe.Devices.Native;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>Reserves memory as Windows does, on Linux: a part that was not taken may not be touched, and ends the process.</summary>
internal sealed unsafe partial class StrictMemory : IReservedMemory
{
    private const int ProtectAll = 0;
    private const int MapFixed = 0x10;
    private const int Flags = Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS | Libc.MAP_NORESERVE;

    private readonly HashSet<nint> _taken = [];
    private readonly HashSet<nint> _reserved = [];

    /// <summary>Bytes that were taken and not given back.</summary>
    public long TakenBytes
    {
        get
        {
            lock (_taken)
                return (long)_taken.Count * Environment.SystemPageSize;
        }
    }

    /// <summary>Ranges that were reserved and not freed.</summary>
    public int Reserved
    {
        get
        {
            lock (_taken)
                return _reserved.Count;
        }
    }

    /// <summary>How many pages may be taken; further ones are refused.</summary>
    public int Room { get; set; } = int.MaxValue;

    public byte* Reserve(long bytes)
    {
        nint memory = Map(0, bytes, Flags);
        lock (_taken)
            _reserved.Add(memory);
        return (byte*)memory;
    }

    public void Take(byte* first, long bytes)
    {
        lock (_taken)
        {
            foreach (nint page in Pages(first, bytes))
            {
                if (_taken.Count >= Room)
                    throw new InsufficientMemoryException("There is no more memory.");
                if (!_taken.Add(page))
                    throw new InvalidOperationException("Expected to take memory that is not taken.");
            }
        }

        if (Protect((nint)first, (nuint)bytes, Libc.PROT_READ | Libc.PROT_WRITE) != 0)
            throw new InvalidOperationException($"mprotect: {Marshal.GetLastPInvokeError()}");
    }

    public void GiveBack(byte* first, long bytes)
    {
        lock (_taken)
        {
            foreach (nint page in Pages(first, bytes))
            {
                if (!_taken.Remove(page))
                    throw new InvalidOperationException("Expected to give back memory that is taken.");
            }
        }

        Map((nint)first, bytes, Flags | MapFixed);
    }

    public void Free(byte* first, long bytes)
    {
        lock (_taken)
        {
            _reserved.Remove((nint)first);
            _taken.ExceptWith(Pages(first, bytes));
        }

        _ = Libc.Munmap((nint)first, (nuint)bytes);
    }

    private static nint[] Pages(byte* first, long bytes)
    {
        var pages = new nint[bytes / Environment.SystemPageSize];
        for (int i = 0; i < pages.Length; i++)
            pages[i] = (nint)first + (i * Environment.SystemPageSize);
        return pages;
    }

    private static nint Map(nint address, long bytes, int flags)
    {
        nint memory = Libc.Mmap(address, (nuint)bytes, ProtectAll, flags, -1, 0);
        return memory != -1 ? memory : throw new InvalidOperationException($"mmap: {Marshal.GetLastPInvokeError()}");
    }

    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    private static partial int Protect(nint address, nuint length, int protection);
}
