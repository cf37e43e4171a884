using VectorPipe.Storage.Pages;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Writes numbers and bytes to a stream file.</summary>
internal sealed class ChangeWriter(PagedStreamWriter stream)
{
    private readonly byte[] _buffer = new byte[1 << 16];
    private int _fill;

    public void Write(uint value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(uint)];
        BitConverter.TryWriteBytes(bytes, value);
        Write(bytes);
    }

    public void Write(ulong value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        BitConverter.TryWriteBytes(bytes, value);
        Write(bytes);
    }

    public void Write(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > _buffer.Length - _fill)
            Flush();
        if (bytes.Length > _buffer.Length)
        {
            stream.Write(bytes);
            return;
        }

        bytes.CopyTo(_buffer.AsSpan(_fill));
        _fill += bytes.Length;
    }

    /// <summary>Writes what is collected.</summary>
    public void Flush()
    {
        stream.Write(_buffer.AsSpan(0, _fill));
        _fill = 0;
    }
}
