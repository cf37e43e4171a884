using System.Diagnostics;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Vectors;

/// <summary>Writes the file of original vectors, in the order of their internal ids.</summary>
/// <remarks>Not thread-safe. Disposal before <see cref="Complete"/> leaves an incomplete file, which the creator deletes.</remarks>
internal sealed class OriginalVectorWriter : IDisposable
{
    private readonly PageFileWriter _file;
    private readonly OriginalVectorLayout _layout;
    private readonly long _count;
    private long _next;

    public OriginalVectorWriter(string path, OriginalVectorLayout layout, long count, ulong indexId, uint generation, IStorageIo io)
    {
        _layout = layout;
        _count = count;
        _file = new PageFileWriter(path, FileRole.Vectors, indexId, generation, layout.PageSize, layout.PageCount(count), io);
    }

    /// <summary>Appends the vector of the next internal id.</summary>
    public void Add(ulong key, ReadOnlySpan<byte> vector)
    {
        Debug.Assert(_next < _count, "there are no more vectors than announced");
        int slot = _layout.SlotOf(_next);
        OriginalVectorPage.Write(slot == 0 ? _file.BeginPage() : _file.OpenPage(), _layout, slot, key, vector);
        _next++;
        if (slot + 1 == _layout.VectorsPerPage || _next == _count)
            _file.Seal(
                PageKind.OriginalVectors, slot + 1, _layout.VectorOffset - PageCodec.HeaderSize + ((slot + 1) * _layout.VectorStride));
    }

    /// <summary>Ends the file, after all vectors were added, and returns its entry when it is on disk.</summary>
    public FileEntry Complete()
    {
        _file.Complete();
        return _file.Entry;
    }

    public void Dispose() => _file.Dispose();
}
