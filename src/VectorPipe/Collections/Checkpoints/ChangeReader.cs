using System.Buffers.Binary;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Reads numbers and bytes of a file of changes; an error names the file.</summary>
internal ref struct ChangeReader(string path, ReadOnlySpan<byte> bytes)
{
    /// <summary>Bytes before the first section.</summary>
    public const int HeaderBytes = 16;

    private readonly int _length = bytes.Length;
    private ReadOnlySpan<byte> _left = bytes;

    public uint UInt32() => BinaryPrimitives.ReadUInt32LittleEndian(Bytes(sizeof(uint)));

    public ulong UInt64() => BinaryPrimitives.ReadUInt64LittleEndian(Bytes(sizeof(ulong)));

    /// <summary>Reads a number below a bound.</summary>
    public uint Below(uint bound)
    {
        uint value = UInt32();
        if (value >= bound)
            throw new IndexCorruptException(path, $"expected a number below {bound} before byte {_length - _left.Length}, found {value}");
        return value;
    }

    public ReadOnlySpan<byte> Bytes(int count)
    {
        if (count < 0 || count > _left.Length)
            throw new IndexCorruptException(path, $"expected {count} bytes at byte {_length - _left.Length}, found {_left.Length}");
        ReadOnlySpan<byte> read = _left[..count];
        _left = _left[count..];
        return read;
    }

    public void RequireEnd()
    {
        if (_left.Length > 0)
            throw new IndexCorruptException(path, $"expected the end at byte {_length - _left.Length}, found {_left.Length} more bytes");
    }
}
