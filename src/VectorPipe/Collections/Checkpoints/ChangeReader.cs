using System.Buffers.Binary;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Reads numbers and bytes of a file of changes; an error names the file.</summary>
/// <param name="path">The file.</param>
/// <param name="bytes">Its stream. No span: with many records it is longer than 2 GiB.</param>
/// <param name="length">Bytes of the stream.</param>
internal unsafe ref struct ChangeReader(string path, byte* bytes, long length)
{
    /// <summary>Bytes before the first section.</summary>
    public const int HeaderBytes = 16;

    private long _at;

    public uint UInt32() => BinaryPrimitives.ReadUInt32LittleEndian(Bytes(sizeof(uint)));

    public ulong UInt64() => BinaryPrimitives.ReadUInt64LittleEndian(Bytes(sizeof(ulong)));

    /// <summary>Reads a number below a bound.</summary>
    public uint Below(uint bound)
    {
        uint value = UInt32();
        if (value >= bound)
            throw new IndexCorruptException(path, $"expected a number below {bound} before byte {_at}, found {value}");
        return value;
    }

    /// <summary>Reads a byte below a bound.</summary>
    public int ByteBelow(int bound)
    {
        byte value = Bytes(1)[0];
        if (value >= bound)
            throw new IndexCorruptException(path, $"expected a byte below {bound} before byte {_at}, found {value}");
        return value;
    }

    /// <summary>Reads the bytes of a list, and returns the number of its items.</summary>
    /// <param name="itemBytes">Bytes of an item.</param>
    public uint CountOf(uint itemBytes)
    {
        uint length = UInt32();
        if (length % itemBytes != 0)
            throw new IndexCorruptException(path, $"expected items of {itemBytes} bytes before byte {_at}, found {length} bytes");
        return length / itemBytes;
    }

    public ReadOnlySpan<byte> Bytes(int count)
    {
        if (count < 0 || count > length - _at)
            throw new IndexCorruptException(path, $"expected {count} bytes at byte {_at}, found {length - _at}");
        var read = new ReadOnlySpan<byte>(bytes + _at, count);
        _at += count;
        return read;
    }

    public void RequireEnd()
    {
        if (_at < length)
            throw new IndexCorruptException(path, $"expected the end at byte {_at}, found {length - _at} more bytes");
    }
}
