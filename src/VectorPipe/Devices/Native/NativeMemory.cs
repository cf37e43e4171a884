using System.Buffers;

namespace VectorPipe.Devices.Native;

/// <summary>Values in native memory behind a <see cref="Memory{T}"/>; freed at disposal instead of by a collection.</summary>
/// <remarks>No view of the memory may be in use when it is disposed.</remarks>
internal sealed unsafe class NativeMemory<T> : MemoryManager<T>
    where T : unmanaged
{
    private readonly NativeBuffer _buffer;
    private readonly int _length;

    public NativeMemory(int length)
    {
        _buffer = new NativeBuffer((nuint)length * (nuint)sizeof(T));
        _length = length;
    }

    public override Span<T> GetSpan() => new(_buffer.Pointer, _length);

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(elementIndex);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(elementIndex, _length);
        return new MemoryHandle((T*)_buffer.Pointer + elementIndex, default, this);
    }

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _buffer.Dispose();
    }
}
