using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Native;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Storage.Pages;

/// <summary>Reads the bytes of any file from front to back, in large reads ahead of its reader.</summary>
/// <remarks>Bound to the thread that first reads. Memory: <see cref="MemoryBytes"/>, however slow the reader is.</remarks>
internal sealed unsafe class FileScan : IReadSource, IDisposable
{
    /// <summary>Bytes of memory of a scan, beside the end of the file that direct reads cannot reach.</summary>
    public const int MemoryBytes = (MaxReads + 1) * PieceBytes;

    private const int MaxReads = 8;
    private const int PieceBytes = 1 << 18;

    private readonly string _path;
    private readonly long _from;
    private readonly long _alignedEnd;
    private readonly IDevice _device;
    private readonly PendingIoSession _session;
    private readonly ReadStream _stream;
    private NativeBuffer? _tail;
    private long _next;
    private nint _bytes;
    private int _left;

    /// <param name="path">The file.</param>
    /// <param name="from">The first wanted byte: 0 to the length of the file.</param>
    /// <param name="openDevice">Opens the file; null for the default device.</param>
    public FileScan(string path, long from = 0, DeviceOpener? openDevice = null)
    {
        _path = path;
        _from = from;
        _device = PageScan.Open(path, openDevice);
        try
        {
            Length = _device.LengthOf(0);
            ArgumentOutOfRangeException.ThrowIfNegative(from);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(from, Length);
            if (PieceBytes % _device.Alignment != 0)
                throw new DeviceException(
                    $"{path}: expected a device that reads pieces of {PieceBytes} bytes, found an alignment of {_device.Alignment}.");
            _alignedEnd = Length / _device.Alignment * _device.Alignment;
            _next = from / _device.Alignment * _device.Alignment;
            _session =
                new PendingIoSession(_device, new PendingIoOptions { Capacity = MaxReads + 1, BufferBytes = PieceBytes, SubmitEvery = 1 });
        }
        catch
        {
            _device.Dispose();
            throw;
        }

        _stream = new ReadStream(_session, this, new ReadStreamOptions { MaxReads = MaxReads, CombineLimit = 1, StartsFull = true });
    }

    public long Length { get; }

    /// <summary>Fills a buffer with the next bytes.</summary>
    /// <param name="target">Receives them.</param>
    /// <param name="cancellationToken">Observed at every piece.</param>
    /// <returns>How many: fewer than there is room for only at the end of the file.</returns>
    /// <exception cref="DeviceException">A read failed, or the file was cut short meanwhile.</exception>
    public int Read(Span<byte> target, CancellationToken cancellationToken)
    {
        int done = 0;
        while (done < target.Length && (_left > 0 || TryAdvance(cancellationToken)))
        {
            int take = Math.Min(_left, target.Length - done);
            new ReadOnlySpan<byte>((byte*)_bytes, take).CopyTo(target[done..]);
            _bytes += take;
            _left -= take;
            done += take;
        }

        return done;
    }

    public ReadStep Next(out ReadRange range)
    {
        range = default;
        if (_next == Length)
            return ReadStep.End;
        range = _next < _alignedEnd
            ? new ReadRange(0, _next, (int)Math.Min(PieceBytes, _alignedEnd - _next))
            : new ReadRange(0, _next, (int)(Length - _next), Address: (nint)ReadTail().Pointer);
        _next += range.Length;
        return ReadStep.Read;
    }

    public void Verify(in ReadBuffer buffer)
    {
        // The file may have any content: its reader judges it.
    }

    public Exception Explain(in ReadRange range, Exception error) => new DeviceException($"Reading {_path} failed: {error.Message}", error);

    /// <summary>Closes the file. On the thread that read.</summary>
    public void Dispose()
    {
        _stream.Dispose();
        _session.Dispose();
        _device.Dispose();
        _tail?.Dispose();
    }

    private bool TryAdvance(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (!_stream.TryGetNext(out ReadBuffer buffer, cancellationToken))
            return false;

        // The first piece may begin before the first wanted byte.
        int skip = (int)Math.Max(0, _from - buffer.Range.Offset);
        _bytes = (nint)buffer.Pointer + skip;
        _left = buffer.Range.Length - skip;
        return true;
    }

    // The bytes after the last multiple of the alignment, which direct reads do not reach.
    private NativeBuffer ReadTail()
    {
        int length = (int)(Length - _alignedEnd), read;
        _tail = new NativeBuffer((nuint)length);
        try
        {
            using SafeFileHandle handle = File.OpenHandle(_path);
            read = RandomAccess.Read(handle, _tail.Span(0, length), _alignedEnd);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"Reading {length} bytes at {_alignedEnd} of {_path} failed: {e.Message}", e);
        }

        return read == length
            ? _tail
            : throw new DeviceException($"Reading {length} bytes at {_alignedEnd} of {_path} met the end of the file after {read} bytes");
    }
}
