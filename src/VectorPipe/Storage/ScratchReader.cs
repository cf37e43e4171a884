using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Numerics;
using VectorPipe.Pipeline;

namespace VectorPipe.Storage;

/// <summary>Receives a verified piece of a scratch file.</summary>
/// <param name="offset">Where the piece lies in the content.</param>
/// <param name="bytes">The piece; valid during the call.</param>
internal delegate void ScratchSink(long offset, ReadOnlySpan<byte> bytes);

/// <summary>Reads ranges of a temporary file in large direct reads, several in flight, each block verified.</summary>
/// <remarks>Bound to the thread that first reads.</remarks>
internal sealed unsafe class ScratchReader : IPendingIoOwner, IDisposable
{
    /// <summary>Bytes of memory that a reader takes, next to 4 bytes a block.</summary>
    public const int MemoryBytes = Depth * ReadBytes;

    private const int Depth = 8;
    private const int ReadBytes = 4 * ScratchFormat.BlockBytes;

    private static readonly TimeSpan _wait = TimeSpan.FromMilliseconds(100);

    private readonly string _path;
    private readonly uint[] _checksums;
    private readonly IDevice _device;
    private PendingIoSession? _session;
    private ScratchSink? _sink;
    private long _first;
    private long _end;
    private Exception? _error;

    /// <param name="path">A complete scratch file.</param>
    /// <param name="options">The device that reads it.</param>
    /// <param name="logger">Told which device was chosen.</param>
    /// <exception cref="IndexCorruptException">It is not a whole scratch file.</exception>
    /// <exception cref="DeviceException">It cannot be opened.</exception>
    public ScratchReader(string path, DeviceOptions options, ILogger logger)
    {
        _path = path;
        _checksums = ReadTable(path, out long length);
        Length = length;
        _device = DeviceFactory.Open([path], options, logger);
    }

    /// <summary>Bytes of the content.</summary>
    public long Length { get; }

    /// <summary>Bytes that the device has read.</summary>
    public long BytesRead => _session?.Counters.BytesRead ?? 0;

    /// <summary>Reads a range; the sink receives it in pieces, in any order, each byte once.</summary>
    /// <exception cref="IndexCorruptException">A block is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public void Read(long offset, long length, ScratchSink sink)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, Length - offset);
        if (length == 0)
            return;
        _session ??= new PendingIoSession(_device, new PendingIoOptions { Capacity = Depth, BufferBytes = ReadBytes, SubmitEvery = 1 });
        _sink = sink;
        _first = offset;
        _end = offset + length;
        long next = offset / ScratchFormat.BlockBytes * ScratchFormat.BlockBytes;
        while (_error is null && (next < _end || _session.Pending > 0))
        {
            while (next < _end && _session.Free > 0)
            {
                long last = Math.Min(next + ReadBytes, ScratchFormat.BlockCount(_end) * ScratchFormat.BlockBytes);
                _session.TryIssue(0, next, (int)(Math.Min(last, ScratchFormat.ToPages(Length)) - next), this, 0, next);
                next = last;
            }

            _session.Drain(_wait);
        }

        Exception? error = _error;
        _error = null;
        _sink = null;
        while (_session.Pending > 0)
            _session.Drain(_wait);
        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
    }

    /// <summary>Reads a range into memory.</summary>
    public void Read(long offset, byte* destination, long length) =>
        Read(offset, length, (at, bytes) => bytes.CopyTo(new Span<byte>(destination + (at - offset), bytes.Length)));

    /// <inheritdoc/>
    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        if (_sink is null || _error is not null)
            return PendingIoOutcome.Done;
        for (long block = op.RequestOffset; block < op.RequestOffset + op.RequestLength && _error is null; block += ScratchFormat.BlockBytes)
        {
            int length = (int)Math.Min(ScratchFormat.BlockBytes, Length - block);
            ReadOnlySpan<byte> bytes = op.Bytes.Slice((int)(block - op.RequestOffset), length);
            if (Crc32C.Compute(bytes) != _checksums[block / ScratchFormat.BlockBytes])
            {
                _error = new IndexCorruptException(_path, $"block {block / ScratchFormat.BlockBytes} of the scratch file does not have its checksum");
                break;
            }

            int from = (int)Math.Max(0, _first - block);
            int to = (int)Math.Min(length, _end - block);
            _sink(block + from, bytes[from..to]);
        }

        return PendingIoOutcome.Done;
    }

    /// <inheritdoc/>
    public void OnReadFailed(PendingIoContext op, Exception error) =>
        _error ??= new DeviceException($"Reading scratch file {_path} failed: {error.Message}", error);

    /// <summary>Closes the file. On the thread that read.</summary>
    public void Dispose()
    {
        _session?.Dispose();
        _device.Dispose();
    }

    private static uint[] ReadTable(string path, out long length)
    {
        using SafeFileHandle handle = File.OpenHandle(path);
        long fileLength = RandomAccess.GetLength(handle);
        byte[] trailer = new byte[ScratchFormat.PageBytes];
        if (fileLength < trailer.Length || RandomAccess.Read(handle, trailer, fileLength - trailer.Length) != trailer.Length)
            throw new IndexCorruptException(path, $"expected a scratch file, found {fileLength} bytes");
        (length, uint checksum) = ScratchFormat.ReadTrailer(path, trailer, fileLength);
        uint[] table = new uint[ScratchFormat.BlockCount(length)];
        Span<byte> bytes = MemoryMarshal.AsBytes(table.AsSpan());
        if (RandomAccess.Read(handle, bytes, ScratchFormat.ToPages(length)) != bytes.Length || Crc32C.Compute(bytes) != checksum)
            throw new IndexCorruptException(path, "the checksum table of the scratch file is damaged");
        return table;
    }
}
