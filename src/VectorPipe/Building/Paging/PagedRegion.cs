using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Building.Paging;

/// <summary>A range of addresses whose bytes are in a scratch file and, block by block, in memory while needed.</summary>
/// <remarks>
/// <para>The addresses are reserved once. A block that leaves memory is written if it was changed, and its memory returned to the system,
/// so that <see cref="PagedMemory"/> counts resident memory. A block that was never written is zero.</para>
/// <para>The state of a block in memory is a number of 0 or more, higher for later use; it is the ticket of a <see cref="PageLease"/> only
/// if that lease holds the block. Otherwise it is one of the negative numbers below. Leases raise tickets at any time; every other change
/// happens under the lock of the <see cref="PagedMemory"/>.</para>
/// </remarks>
internal sealed unsafe class PagedRegion : IDisposable
{
    /// <summary>Memory per block, resident or not: state, checksum, marks and slot.</summary>
    public const int BytesPerBlock = sizeof(long) + sizeof(uint) + 2 + sizeof(int);

    /// <summary>State of a block that was never written: zeros.</summary>
    public const long Absent = -1;

    /// <summary>State of a block that stays in memory: above all tickets.</summary>
    public const long Held = long.MaxValue;

    /// <summary>State of a block that is in the file alone.</summary>
    public const long OnDisk = -2;

    /// <summary>State of a block between file and memory.</summary>
    public const long Busy = -3;

    private readonly PagedMemory _memory;
    private readonly SafeFileHandle _handle;
    private readonly long[] _states;
    private readonly uint[] _checksums;
    private readonly bool[] _dirty;
    private readonly bool[] _written;
    private readonly Lazy<IDevice> _device;

    /// <summary>Creates the scratch file and reserves addresses.</summary>
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

        try
        {
            Pointer = memory.Reserved.Reserve(bytes);
        }
        catch (InsufficientMemoryException)
        {
            _handle.Dispose();
            memory.Delete(path);
            throw;
        }
    }

    /// <summary>The scratch file.</summary>
    public string Path { get; }

    public int BlockCount { get; }

    /// <summary>First byte.</summary>
    public byte* Pointer { get; }

    /// <summary>Place of each resident block in the list of all; for the memory.</summary>
    public int[] Slots { get; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long State(int block) => Volatile.Read(ref _states[block]);

    /// <summary>Changes the state of a block unless it has changed meanwhile.</summary>
    public bool TryChange(int block, long from, long to) => Interlocked.CompareExchange(ref _states[block], to, from) == from;

    /// <summary>Changes the state of a block that no other thread may change.</summary>
    public void Change(int block, long to) => Volatile.Write(ref _states[block], to);

    /// <summary>Whether a block was changed since it was last written.</summary>
    public bool IsDirty(int block) => _dirty[block];

    /// <summary>Notes that leased bytes were or will be changed.</summary>
    public void MarkDirty(long offset, long length)
    {
        for (int block = PagedMemory.BlockOf(offset); block <= PagedMemory.BlockOf(offset + length - 1); block++)
            _dirty[block] = true;
    }

    /// <summary>Whether the file holds a block.</summary>
    public bool WasWritten(int block) => _written[block];

    /// <summary>The device that reads the file; opened on first use.</summary>
    public IDevice Device => _device.Value;

    /// <summary>Writes neighbouring blocks that are leaving memory.</summary>
    /// <exception cref="IndexWriteException">The write failed; the blocks are unchanged.</exception>
    public void WriteOut(int first, int count)
    {
        byte* bytes = Address(first);
        for (int i = 0; i < count; i++)
        {
            Debug.Assert(State(first + i) == Busy, "only blocks that no thread can reach are written");
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

    /// <summary>Copies bytes of a block that were read to their place.</summary>
    /// <exception cref="IndexCorruptException">The checksum is not that of the written bytes.</exception>
    public void TakeIn(int block, ReadOnlySpan<byte> bytes)
    {
        if (Crc32C.Compute(bytes) != _checksums[block])
            throw new IndexCorruptException(Path, $"block {block} of the scratch file does not have its checksum");
        bytes.CopyTo(new Span<byte>(Address(block), PagedMemory.BlockBytes));
    }

    /// <summary>Loads bytes for good.</summary>
    public void Hold(long offset, long length) => _memory.Hold(this, PagedMemory.BlockOf(offset), PagedMemory.BlockOf(offset + length - 1));

    /// <summary>Gives memory to a block that is about to be in it; under the lock of the memory.</summary>
    /// <exception cref="InsufficientMemoryException">There is none.</exception>
    public void Take(int block) => _memory.Reserved.Take(Address(block), PagedMemory.BlockBytes);

    public byte* Address(int block) => Pointer + (nint)block * PagedMemory.BlockBytes;

    /// <summary>Frees the addresses and deletes the file. No thread may lease any of it.</summary>
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
            _memory.Reserved.Free(Pointer, (long)BlockCount * PagedMemory.BlockBytes);
            _memory.Delete(Path);
        }
    }

    /// <summary>Asserts that no state is out of range, and that blocks in the file alone were written to it.</summary>
    [Conditional("DEBUG")]
    public void AssertInvariants()
    {
        for (int block = 0; block < BlockCount; block++)
        {
            long state = State(block);
            Debug.Assert(state >= Busy, "a state is a number that a lease gave, or one of the four named");
            Debug.Assert(
                state != OnDisk || (_written[block] && !_dirty[block]), "a block in the file alone was written, and not changed since");
            Debug.Assert(state != Absent || !_written[block], "a written block is never taken for zeros");
        }
    }
}
