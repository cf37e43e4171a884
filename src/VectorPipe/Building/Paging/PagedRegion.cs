using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Building.Paging;

/// <summary>A range of addresses whose bytes live in a scratch file and, block by block, in memory while they are needed.</summary>
/// <remarks>
/// <para>The addresses are reserved once; a block that leaves memory is written out, if it was changed, and its memory given back to the
/// system, so that resident
/// memory is what <see cref="PagedMemory"/> counts. A block that was never written is zero.</para>
/// <para>Each block has a state: a number of 0 or more while it is in memory, the higher the later it was asked for, or one of the negative
/// numbers below. It is the ticket of a <see cref="PageLease"/> only if that lease holds it. Leases
/// raise tickets at any time; every other change happens under the lock of the <see cref="PagedMemory"/>.</para>
/// </remarks>
internal sealed unsafe class PagedRegion : IDisposable
{
    /// <summary>Bytes of memory that a block takes wherever it is: its state, checksum, marks and slot.</summary>
    public const int BytesPerBlock = sizeof(long) + sizeof(uint) + 2 + sizeof(int);

    /// <summary>State of a block that was never written: zeros.</summary>
    public const long Absent = -1;

    /// <summary>State of a block that stays: above all tickets.</summary>
    public const long Held = long.MaxValue;

    /// <summary>State of a block that is in the file alone.</summary>
    public const long OnDisk = -2;

    /// <summary>State of a block on its way between file and memory.</summary>
    public const long Busy = -3;

    private readonly PagedMemory _memory;
    private readonly SafeFileHandle _handle;
    private readonly nint _mapping;
    private readonly long[] _states;
    private readonly uint[] _checksums;
    private readonly bool[] _dirty;
    private readonly bool[] _written;
    private readonly Lazy<IDevice> _device;

    /// <param name="memory">Whose budget the blocks count against.</param>
    /// <param name="path">The scratch file; created.</param>
    /// <param name="length">Bytes.</param>
    public PagedRegion(PagedMemory memory, string path, long length)
    {
        _memory = memory;
        Path = path;
        BlockCount = checked((int)((length + PagedMemory.BlockBytes - 1) / PagedMemory.BlockBytes));
        long bytes = (long)BlockCount * PagedMemory.BlockBytes;
        _states = new long[BlockCount];
        Array.Fill(_states, Absent);
        _checksums = new uint[BlockCount];
        _dirty = new bool[BlockCount];
        _written = new bool[BlockCount];
        _device = new Lazy<IDevice>(() => memory.OpenDevice([path], memory.Device, memory.Logger));
        Slots = new int[BlockCount];
        try
        {
            _handle = memory.Io.Create(path, isReserved: false, bytes, isDirect: true);
            memory.Io.SetLength(_handle, bytes);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _handle?.Dispose();
            memory.Delete(path);
            throw new IndexWriteException($"Creating scratch file {path} of {bytes:N0} bytes failed: {e.Message}", e);
        }

        _mapping =
            Libc.Mmap(0, (nuint)bytes, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS | Libc.MAP_NORESERVE, -1, 0);
        if (_mapping == -1)
        {
            int error = Marshal.GetLastPInvokeError();
            _handle.Dispose();
            memory.Delete(path);
            throw new InsufficientMemoryException($"Cannot reserve {bytes:N0} bytes of address space: {Errno.Describe(error)}");
        }

        // With huge pages one touched byte would cost two MiB. Advice only: where it is refused there are none.
        _ = Libc.Madvise(_mapping, (nuint)bytes, Libc.MADV_NOHUGEPAGE);
    }

    /// <summary>The scratch file.</summary>
    public string Path { get; }

    /// <summary>Blocks.</summary>
    public int BlockCount { get; }

    /// <summary>First byte.</summary>
    public byte* Pointer => (byte*)_mapping;

    /// <summary>Where each block in memory stands in the list of all; the memory's own.</summary>
    public int[] Slots { get; }

    /// <summary>State of a block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long State(int block) => Volatile.Read(ref _states[block]);

    /// <summary>Changes the state of a block if it still is what it was.</summary>
    public bool TryChange(int block, long from, long to) => Interlocked.CompareExchange(ref _states[block], to, from) == from;

    /// <summary>Changes the state of a block that nobody else may change.</summary>
    public void Change(int block, long to) => Volatile.Write(ref _states[block], to);

    /// <summary>Whether a block was changed since it was last written out.</summary>
    public bool IsDirty(int block) => _dirty[block];

    /// <summary>Notes that bytes were or will be changed; they are leased.</summary>
    public void MarkDirty(long offset, long length)
    {
        for (int block = PagedMemory.BlockOf(offset); block <= PagedMemory.BlockOf(offset + length - 1); block++)
            _dirty[block] = true;
    }

    /// <summary>Whether the file holds a block.</summary>
    public bool WasWritten(int block) => _written[block];

    /// <summary>The device that reads the file; opened when it is first asked for.</summary>
    public IDevice Device => _device.Value;

    /// <summary>Writes out blocks that lie side by side and are on their way out of memory.</summary>
    /// <exception cref="IndexWriteException">The write failed; the blocks are as they were.</exception>
    public void WriteOut(int first, int count)
    {
        byte* bytes = Address(first);
        for (int i = 0; i < count; i++)
        {
            Debug.Assert(State(first + i) == Busy, "only blocks that nobody can reach are written");
            _checksums[first + i] =
                Crc32C.Compute(new ReadOnlySpan<byte>(bytes + (nint)i * PagedMemory.BlockBytes, PagedMemory.BlockBytes));
        }

        try
        {
            _memory.Io.Write(_handle, new ReadOnlySpan<byte>(bytes, count * PagedMemory.BlockBytes), (long)first * PagedMemory.BlockBytes);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"Writing scratch file {Path} failed: {e.Message}", e);
        }

        Array.Clear(_dirty, first, count);
        Array.Fill(_written, true, first, count);
    }

    /// <summary>Takes in bytes of a block that were read.</summary>
    /// <exception cref="IndexCorruptException">They are not those that were written.</exception>
    public void TakeIn(int block, ReadOnlySpan<byte> bytes)
    {
        if (Crc32C.Compute(bytes) != _checksums[block])
            throw new IndexCorruptException(Path, $"block {block} of the scratch file does not have its checksum");
        bytes.CopyTo(new Span<byte>(Address(block), PagedMemory.BlockBytes));
    }

    /// <summary>Takes bytes into memory for good.</summary>
    public void Hold(long offset, long length) => _memory.Hold(this, PagedMemory.BlockOf(offset), PagedMemory.BlockOf(offset + length - 1));

    /// <summary>The memory of a block.</summary>
    public byte* Address(int block) => Pointer + (nint)block * PagedMemory.BlockBytes;

    /// <summary>Frees the addresses and deletes the file. Nobody may lease any of it.</summary>
    public void Dispose()
    {
        if (!_memory.Forget(this))
            return;
        try
        {
            if (_device.IsValueCreated)
                _device.Value.Dispose();
        }
        finally
        {
            _handle.Dispose();
            _ = Libc.Munmap(_mapping, (nuint)BlockCount * PagedMemory.BlockBytes);
            _memory.Delete(Path);
        }
    }

    /// <summary>Asserts that no state is out of range, and that what is in the file alone was written to it.</summary>
    [Conditional("DEBUG")]
    public void AssertInvariants()
    {
        for (int block = 0; block < BlockCount; block++)
        {
            long state = State(block);
            Debug.Assert(state >= Busy, "a state is a number that a lease gave, or one of the four named");
            Debug.Assert(
                state != OnDisk || (_written[block] && !_dirty[block]), "what is in the file alone was written, and not changed since");
            Debug.Assert(state != Absent || !_written[block], "what was written is never taken for zeros");
        }
    }
}
