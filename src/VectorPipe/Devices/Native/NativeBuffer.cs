using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Native;

/// <summary>A block of native memory at a page boundary: it never moves, so the kernel may write to it.</summary>
/// <remarks>
/// Large blocks ask for huge pages on Linux, which reduces translation misses at random access. Freed by <see cref="Dispose"/>, exactly
/// once; there is no finalizer, because only the owner knows when the kernel is done with the block.
/// </remarks>
internal sealed unsafe class NativeBuffer : IDisposable
{
    /// <summary>Alignment of the first byte: a memory page, and a multiple of every disk's logical block.</summary>
    public const int Alignment = 4096;

    private const nuint HugePage = 2 << 20;

    // The C library may keep freed memory with the thread that freed it: 30 MiB after readers had come and gone on many threads.
    private const nuint LeastMapping = 128 << 10;

    private readonly nint _mapping;
    private readonly nuint _mappingLength;
    private readonly bool _isReused;
    private void* _memory;

    /// <param name="length">Bytes.</param>
    /// <param name="isReused">Whether it may take memory that was freed a short time ago, with the content that it had, and leave its own:
    /// for blocks that come and go, and are read only where something was written before. Others are zeros, and their pages are not there
    /// before they are used.</param>
    /// <exception cref="DeviceException">There is no memory.</exception>
    public NativeBuffer(nuint length, bool isReused = false)
    {
        ArgumentOutOfRangeException.ThrowIfZero(length);
        Length = length;
        if (length >= LeastMapping && Libc.IsSupported)
        {
            // One more huge page, so that the first byte can lie at the boundary of one; untouched pages cost nothing.
            bool isHuge = length >= HugePage;
            _mappingLength = isHuge ? checked(length + HugePage) : length;
            _isReused = isReused;
            _mapping = isReused ? FreedMappings.Take(_mappingLength) : 0;
            bool isFresh = _mapping == 0;
            if (isFresh)
                _mapping = Map(length);
            _memory = (void*)(isHuge ? (_mapping + (nint)HugePage - 1) & ~((nint)HugePage - 1) : _mapping);

            // Advice only: the block works without huge pages.
            if (isFresh && isHuge)
                _ = Libc.Madvise((nint)_memory, length, Libc.MADV_HUGEPAGE);
            return;
        }

        try
        {
            _memory = NativeMemory.AlignedAlloc(length, Alignment);
        }
        catch (OutOfMemoryException e)
        {
            throw new DeviceException($"Cannot allocate {length} bytes of memory", e);
        }

        NativeMemory.Clear(_memory, length);
    }

    public nuint Length { get; }

    /// <summary>Whether the block was freed.</summary>
    public bool IsFreed => _memory is null;

    /// <summary>Address of the first byte.</summary>
    public nint Address => (nint)Pointer;

    public byte* Pointer
    {
        get
        {
            ObjectDisposedException.ThrowIf(_memory is null, this);
            return (byte*)_memory;
        }
    }

    public Span<byte> Span(nuint offset, int length)
    {
        if (length < 0 || offset > Length || (nuint)length > Length - offset)
            throw new ArgumentOutOfRangeException(
                nameof(offset), $"Expected a range within {Length} bytes, found {length} bytes at {offset}.");
        return new Span<byte>(Pointer + offset, length);
    }

    /// <summary>Frees the block. No read may be in flight into it.</summary>
    public void Dispose()
    {
        void* memory = _memory;
        _memory = null;
        if (_mapping == 0)
            NativeMemory.AlignedFree(memory);
        else if (memory is not null && _isReused)
            FreedMappings.Give(_mapping, _mappingLength);
        else if (memory is not null)
            _ = Libc.Munmap(_mapping, _mappingLength);
    }

    private nint Map(nuint length)
    {
        nint mapping = Libc.Mmap(
            0, _mappingLength, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS, -1, 0);
        if (mapping == -1)
            throw new DeviceException($"Cannot map {length} bytes of memory", Marshal.GetLastPInvokeError());

        // A fork must not share pages into which the kernel writes: this process would keep the stale copies. Advice only.
        _ = Libc.Madvise(mapping, _mappingLength, Libc.MADV_DONTFORK);
        return mapping;
    }
}
