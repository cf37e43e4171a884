using VectorPipe.Devices.Native;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>Writes a byte stream as pages. Not thread-safe.</summary>
internal sealed class PagedStreamWriter : IDisposable
{
    private const int PayloadSize = PageCodec.PageUnit - PageCodec.HeaderSize;

    // No span holds memory of more than 2 GiB.
    private const int PieceBytes = 1 << 24;

    private readonly PageFileWriter _file;
    private readonly long _length;
    private long _written;
    private int _fill = -1;

    public PagedStreamWriter(string path, FileRole role, ulong indexId, uint generation, long length, IStorageIo io)
    {
        _length = length;
        _file = new PageFileWriter(path, role, indexId, generation, PageCodec.PageUnit, PageCount(length), io);
    }

    public FileEntry Entry => _file.Entry;

    /// <summary>Pages of a stream's file, the header included.</summary>
    public static long PageCount(long length) => 1 + (length + PayloadSize - 1) / PayloadSize;

    public void Write(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            Span<byte> page = _fill < 0 ? _file.BeginPage() : _file.OpenPage();
            _fill = Math.Max(_fill, 0);
            int take = Math.Min(bytes.Length, PayloadSize - _fill);
            bytes[..take].CopyTo(PageCodec.Payload(page)[_fill..]);
            bytes = bytes[take..];
            _fill += take;
            _written += take;
            if (_fill == PayloadSize || _written == _length)
            {
                _file.Seal(PageKind.Stream, 0, _fill);
                _fill = -1;
            }
        }
    }

    public void Write(NativeBuffer memory)
    {
        for (nuint done = 0; done < memory.Length; done += PieceBytes)
            Write(memory.Span(done, (int)Math.Min(PieceBytes, memory.Length - done)));
    }

    /// <summary>Ends the stream, which has exactly the announced length.</summary>
    public void Complete() => _file.Complete(_length);

    public void Dispose() => _file.Dispose();
}
