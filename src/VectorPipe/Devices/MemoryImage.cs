namespace VectorPipe.Devices;

/// <summary>The bytes of a memory device. Read-only once filled, so that threads share it.</summary>
internal sealed unsafe class MemoryImage : IDisposable
{
    private readonly NativeBuffer _bytes;

    /// <summary>Copies bytes.</summary>
    public MemoryImage(ReadOnlySpan<byte> bytes)
    {
        Length = bytes.Length;
        _bytes = new NativeBuffer((nuint)Math.Max(bytes.Length, 1));
        bytes.CopyTo(new Span<byte>(_bytes.Pointer, bytes.Length));
    }

    /// <summary>Reads a file once.</summary>
    /// <exception cref="DeviceException">The file cannot be read.</exception>
    public MemoryImage(string path)
    {
        NativeBuffer? bytes = null;
        try
        {
            using var file = File.OpenHandle(path, options: FileOptions.SequentialScan);
            Length = RandomAccess.GetLength(file);
            bytes = new NativeBuffer((nuint)Math.Max(Length, 1));
            for (long position = 0; position < Length;)
            {
                int wanted = (int)Math.Min(Length - position, 1 << 24);
                int count = RandomAccess.Read(file, new Span<byte>(bytes.Pointer + position, wanted), position);
                if (count == 0)
                    throw new DeviceException($"Expected {Length} bytes in '{path}', found its end at {position}");
                position += count;
            }

            _bytes = bytes;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            bytes?.Dispose();
            throw new DeviceException($"Cannot read '{path}' into memory: {e.Message}", e);
        }
        catch (DeviceException)
        {
            bytes?.Dispose();
            throw;
        }
    }

    /// <summary>Bytes held.</summary>
    public long Length { get; }

    /// <summary>Copies what the read asks for, as far as there is; sets its result.</summary>
    public void Serve(DeviceRead read)
    {
        int count = (int)Math.Clamp(Length - read.Offset, 0, read.Length);
        if (count > 0)
            Buffer.MemoryCopy(_bytes.Pointer + read.Offset, (void*)read.Address, count, count);
        read.Result = count;
    }

    /// <summary>Frees the bytes. No read may be served any more.</summary>
    public void Dispose() => _bytes.Dispose();
}
