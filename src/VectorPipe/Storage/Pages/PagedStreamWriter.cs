using VectorPipe.Devices.Native;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>Writes a byte stream as pages. Not thread-safe.</summary>
internal sealed class PagedStreamWriter : IDisposable
{
    /// <summary>Bytes of the stream in a page; all pages but the last are full.</summary>
    public const int PayloadSize = PageCodec.PageUnit - PageCodec.HeaderSize;

    // No span holds memory of more than 2 GiB.
    private const int PieceBytes = 1 << 24;

    private readonly PageFileWriter _file;
    private readonly long? _announced;
    private int _fill = -1;

    /// <param name="path">File to create.</param>
    /// <param name="role">The purpose of the file.</param>
    /// <param name="indexId">Identity from which that of the file is derived.</param>
    /// <param name="generation">Generation that writes.</param>
    /// <param name="length">Bytes of the stream; null for as many as come, without reserved space.</param>
    /// <param name="io">Writes.</param>
    public PagedStreamWriter(string path, FileRole role, ulong indexId, uint generation, long? length, IStorageIo io)
    {
        _announced = length;
        _file = new PageFileWriter(path, role, indexId, generation, PageCodec.PageUnit, length is { } bytes ? PageCount(bytes) : null, io);
    }

    public FileEntry Entry => _file.Entry;

    /// <summary>Bytes so far.</summary>
    public long Length { get; private set; }

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
            Length += take;
            if (_fill == PayloadSize || Length == _announced)
                Seal();
        }
    }

    public void Write(NativeBuffer memory)
    {
        for (nuint done = 0; done < memory.Length; done += PieceBytes)
            Write(memory.Span(done, (int)Math.Min(PieceBytes, memory.Length - done)));
    }

    /// <summary>Ends the stream, which has exactly the announced length, and returns when all of it is on disk.</summary>
    public void Complete()
    {
        if (_announced is null && _fill > 0)
            Seal();
        _file.Complete(_announced ?? Length);
    }

    public void Dispose() => _file.Dispose();

    private void Seal()
    {
        _file.Seal(PageKind.Stream, 0, _fill);
        _fill = -1;
    }
}
