using VectorPipe.Devices.Native;

namespace VectorPipe.Devices.Memory;

/// <summary>The files of a memory device. Read-only after construction, so threads can share it.</summary>
internal sealed unsafe class MemoryImage : IDisposable
{
    private const int ReadBytes = 1 << 24;

    private readonly NativeBuffer[] _files;
    private readonly long[] _lengths;

    public MemoryImage(ReadOnlySpan<byte> bytes)
    {
        _lengths = [bytes.Length];
        _files = [new NativeBuffer((nuint)Math.Max(bytes.Length, 1))];
        bytes.CopyTo(new Span<byte>(_files[0].Pointer, bytes.Length));
    }

    public MemoryImage(IReadOnlyList<string> paths)
    {
        _files = new NativeBuffer[paths.Count];
        _lengths = new long[paths.Count];
        try
        {
            for (int i = 0; i < paths.Count; i++)
                _files[i] = Load(paths[i], out _lengths[i]);
        }
        catch
        {
            foreach (NativeBuffer? file in _files)
                file?.Dispose();
            throw;
        }
    }

    public int FileCount => _files.Length;

    public long LengthOf(int file) => _lengths[file];

    /// <summary>Copies the requested bytes, up to the end of the file, and sets the result.</summary>
    public void Serve(DeviceRead read)
    {
        int count = (int)Math.Clamp(_lengths[read.File] - read.Offset, 0, read.Length);
        if (count > 0)
            Buffer.MemoryCopy(_files[read.File].Pointer + read.Offset, (void*)read.Address, count, count);
        read.Result = count;
    }

    /// <summary>Frees the bytes, after the last read.</summary>
    public void Dispose()
    {
        foreach (NativeBuffer file in _files)
            file.Dispose();
    }

    private static NativeBuffer Load(string path, out long length)
    {
        NativeBuffer? bytes = null;
        try
        {
            using var file = File.OpenHandle(path, options: FileOptions.SequentialScan);
            length = RandomAccess.GetLength(file);
            bytes = new NativeBuffer((nuint)Math.Max(length, 1));
            for (long position = 0; position < length;)
            {
                int wanted = (int)Math.Min(length - position, ReadBytes);
                int count = RandomAccess.Read(file, new Span<byte>(bytes.Pointer + position, wanted), position);
                if (count == 0)
                    throw new DeviceException($"Expected {length} bytes in '{path}', found its end at {position}");
                position += count;
            }

            return bytes;
        }
        catch (Exception e)
        {
            bytes?.Dispose();
            if (e is IOException or UnauthorizedAccessException)
                throw new DeviceException($"Cannot read '{path}' into memory: {e.Message}", e);
            throw;
        }
    }
}
