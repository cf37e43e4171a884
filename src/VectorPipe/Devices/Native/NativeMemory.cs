using System.Buffers;

namespace VectorPipe.Devices.Native;

/// <summary>
/// Values in native memory behind a <see cref="Memory{T}"/>: freed when they are disposed, not when a collection finds them.
/// </summary>
/// <remarks>No view of the memory may be in use when it is disposed.</remarks>
internal sealed unsafe class NativeMemory<T> : MemoryManager<T>
    where T : unmanaged
{
    private readonly NativeBuffer _buffer;
    private readonly int _length;

    /// <param name="length">Values; 1 or more.</param>
    public NativeMemory(int length)
    {
        _buffer = new NativeBuffer((nuint)length * (nuint)sizeof(T));
        _length = length;
    }

    /// <inheritdoc/>
    public override Span<T> GetSpan() => new(_buffer.Pointer, _length);

    /// <inheritdoc/>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(elementIndex);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(elementIndex, _length);
        return new MemoryHandle((T*)_buffer.Pointer + elementIndex, default, this);
    }

    /// <summary>Nothing to do: native memory does not move.</summary>
    public override void Unpin()
    {
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _buffer.Dispose();
    }
}
