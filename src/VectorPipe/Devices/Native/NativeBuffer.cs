using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Native;

/// <summary>
/// A zeroed block of native memory at a page boundary: never moved by the garbage collector, so the kernel may write to it.
/// </summary>
/// <remarks>
/// Large blocks ask for huge pages on Linux: fewer translations to miss when many pages are touched at random. Freed by
/// <see cref="Dispose"/>, exactly once; there is no finalizer, because only the owner knows when the kernel is done with it.
/// </remarks>
internal sealed unsafe class NativeBuffer : IDisposable
{
    /// <summary>Alignment of the first byte: a memory page, and a multiple of every disk's logical block.</summary>
    public const int Alignment = 4096;

    private const nuint HugePage = 2 << 20;

    // What the allocator of the C library frees may stay with the thread that freed it: 30 MiB of buffers of readers that came and went on
    // many threads.
    private const nuint LeastMapping = 128 << 10;

    private readonly nint _mapping;
    private readonly nuint _mappingLength;
    private void* _memory;

    /// <param name="length">Bytes; more than 0.</param>
    /// <exception cref="DeviceException">The system has no memory for the block.</exception>
    public NativeBuffer(nuint length)
    {
        ArgumentOutOfRangeException.ThrowIfZero(length);
        Length = length;
        if (length >= LeastMapping && Libc.IsSupported)
        {
            // For large blocks one huge page more, so that the first byte can lie at the boundary of one; untouched pages cost nothing.
            bool isHuge = length >= HugePage;
            _mappingLength = isHuge ? checked(length + HugePage) : length;
            _mapping = Libc.Mmap(
                0, _mappingLength, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS, -1, 0);
            if (_mapping == -1)
                throw new DeviceException($"Cannot map {length} bytes of memory", Marshal.GetLastPInvokeError());

            // A copy of the process must not take pages into which the kernel is writing: this one would go on with the old ones. Advice
            // only.
            _ = Libc.Madvise(_mapping, _mappingLength, Libc.MADV_DONTFORK);
            if (!isHuge)
            {
                _memory = (void*)_mapping;
                return;
            }

            nuint first = ((nuint)_mapping + HugePage - 1) & ~(HugePage - 1);
            // Advice only: without it, or where the kernel has no huge pages, the block works as well.
            _ = Libc.Madvise((nint)first, length, Libc.MADV_HUGEPAGE);
            _memory = (void*)first;
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

    /// <summary>Bytes of the block.</summary>
    public nuint Length { get; }

    /// <summary>The first byte.</summary>
    /// <exception cref="ObjectDisposedException">The block was freed.</exception>
    public byte* Pointer
    {
        get
        {
            ObjectDisposedException.ThrowIf(_memory is null, this);
            return (byte*)_memory;
        }
    }

    /// <summary>A window onto the block.</summary>
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
        else if (memory is not null)
            _ = Libc.Munmap(_mapping, _mappingLength);
    }
}
