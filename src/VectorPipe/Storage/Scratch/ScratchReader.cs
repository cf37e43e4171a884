using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Open;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Storage.Scratch;

/// <summary>Receives a verified piece of a scratch file and its offset in the content; the piece is valid during the call.</summary>
internal delegate void ScratchSink(long offset, ReadOnlySpan<byte> bytes);

/// <summary>Reads ranges of a scratch file in large direct reads ahead of the sink, and verifies each block.</summary>
/// <remarks>Bound to the thread that first reads.</remarks>
internal sealed unsafe class ScratchReader : IReadSource, IDisposable
{
    /// <summary>Bytes of memory of a reader, beside 4 bytes per block.</summary>
    public const int MemoryBytes = Depth * ReadBytes;

    private const int Depth = 8;
    private const int BlocksPerRead = 16;
    private const int ReadBytes = BlocksPerRead * ScratchFormat.BlockBytes;

    private readonly string _path;
    private readonly uint[] _checksums;
    private readonly IDevice _device;
    private PendingIoSession? _session;
    private ReadStream? _stream;
    private long _next;
    private long _end;

    /// <param name="path">A complete scratch file.</param>
    /// <param name="options">The device that reads it.</param>
    /// <param name="logger">Receives the chosen device.</param>
    /// <param name="openDevice">Opens the file; null for the device that <paramref name="options"/> names.</param>
    /// <exception cref="IndexCorruptException">It is not a whole scratch file.</exception>
    public ScratchReader(string path, DeviceOptions options, ILogger logger, DeviceOpener? openDevice = null)
    {
        _path = path;
        _checksums = ReadTable(path, out long length);
        Length = length;
        _device = openDevice is null ? DeviceFactory.Open([path], options, logger) : openDevice([path], options, logger);
    }

    public long Length { get; }

    /// <summary>Bytes that the device has read.</summary>
    public long BytesRead => _session?.Counters.BytesRead ?? 0;

    /// <summary>Reads a range; the sink receives it in pieces, front to back.</summary>
    public void Read(long offset, long length, ScratchSink sink)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, Length - offset);
        if (length == 0)
            return;
        _session ??= new PendingIoSession(_device, new PendingIoOptions
        {
            Capacity = Depth,
            BufferBytes = ReadBytes,
            SubmitEvery = 1,
            ReadTimeout = PendingIoOptions.LongestTimeout,
        });
        _stream ??= new ReadStream(
            _session, this, new ReadStreamOptions { MaxReads = Depth - 1, CombineLimit = BlocksPerRead, StartsFull = true });
        long end = offset + length;
        _next = offset / ScratchFormat.BlockBytes;
        _end = ScratchFormat.BlockCount(end);
        _stream.Reset(keepDistance: true);
        while (_stream.TryGetNext(out ReadBuffer buffer))
        {
            long block = buffer.Range.Offset;
            int from = (int)Math.Max(0, offset - block);
            int to = (int)Math.Min(LengthOf(buffer.State), end - block);
            sink(block + from, buffer.Bytes[from..to]);
        }
    }

    public void Read(long offset, byte* destination, long length) =>
        Read(offset, length, (at, bytes) => bytes.CopyTo(new Span<byte>(destination + (at - offset), bytes.Length)));

    public ReadStep Next(out ReadRange range)
    {
        range = default;
        if (_next == _end)
            return ReadStep.End;
        range = new ReadRange(0, _next * ScratchFormat.BlockBytes, (int)ScratchFormat.ToPages(LengthOf(_next)), _next);
        _next++;
        return ReadStep.Read;
    }

    public void Verify(in ReadBuffer buffer)
    {
        if (Crc32C.Compute(buffer.Bytes[..LengthOf(buffer.State)]) != _checksums[buffer.State])
            throw new IndexCorruptException(_path, $"block {buffer.State} of the scratch file does not have its checksum");
    }

    public Exception Explain(in ReadRange range, Exception error) =>
        new DeviceException($"Reading scratch file {_path} failed: {error.Message}", error);

    /// <summary>Closes the file. On the thread that read.</summary>
    public void Dispose()
    {
        _stream?.Dispose();
        _session?.Dispose();
        _device.Dispose();
    }

    private int LengthOf(long block) => (int)Math.Min(ScratchFormat.BlockBytes, Length - block * ScratchFormat.BlockBytes);

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
