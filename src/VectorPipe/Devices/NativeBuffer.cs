using System.Runtime.InteropServices;

namespace VectorPipe.Devices;

/// <summary>A zeroed block of native memory at a page boundary: never moved by the garbage collector, so the kernel may write to it.</summary>
/// <remarks>Freed by <see cref="Dispose"/>, exactly once; there is no finalizer, because only the owner knows when the kernel is done with it.</remarks>
internal sealed unsafe class NativeBuffer : IDisposable
{
    /// <summary>Alignment of the first byte: a memory page, and a multiple of every disk's logical block.</summary>
    public const int Alignment = 4096;

    private void* _memory;

    /// <param name="length">Bytes; more than 0.</param>
    /// <exception cref="OutOfMemoryException">The block cannot be had.</exception>
    public NativeBuffer(nuint length)
    {
        ArgumentOutOfRangeException.ThrowIfZero(length);
        Length = length;
        _memory = NativeMemory.AlignedAlloc(length, Alignment);
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
            throw new ArgumentOutOfRangeException(nameof(offset), $"Expected a range within {Length} bytes, found {length} bytes at {offset}.");
        return new Span<byte>(Pointer + offset, length);
    }

    /// <summary>Frees the block. No read may be in flight into it.</summary>
    public void Dispose()
    {
        void* memory = _memory;
        _memory = null;
        NativeMemory.AlignedFree(memory);
    }
}
