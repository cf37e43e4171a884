using System.Diagnostics;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Vectors;

/// <summary>Writes the file of the vectors as they were given, in the order of their internal ids.</summary>
/// <remarks>
/// Not thread-safe. Disposed before <see cref="Complete"/> it leaves a file that no manifest names; whoever created it deletes it.
/// </remarks>
internal sealed class OriginalVectorWriter : IDisposable
{
    private readonly PageFileWriter _file;
    private readonly OriginalVectorLayout _layout;
    private readonly long _count;
    private long _next;

    /// <param name="path">File to create; must not exist, unless as room that was reserved.</param>
    /// <param name="layout">Where things lie in a page.</param>
    /// <param name="count">Vectors that will be added.</param>
    /// <param name="indexId">Identity of the index.</param>
    /// <param name="generation">Generation that writes.</param>
    /// <param name="io">Writes.</param>
    /// <exception cref="IndexWriteException">The file cannot be created, or the disk has no room for it.</exception>
    public OriginalVectorWriter(string path, OriginalVectorLayout layout, long count, ulong indexId, uint generation, IStorageIo io)
    {
        _layout = layout;
        _count = count;
        _file = new PageFileWriter(path, FileRole.Vectors, indexId, generation, layout.PageSize, layout.PageCount(count), io);
    }

    /// <summary>Appends the vector of the next internal id.</summary>
    /// <exception cref="IndexWriteException">A write failed.</exception>
    public void Add(ulong key, ReadOnlySpan<byte> vector)
    {
        Debug.Assert(_next < _count, "no more vectors than were announced");
        int slot = _layout.SlotOf(_next);
        OriginalVectorPage.Write(slot == 0 ? _file.BeginPage() : _file.OpenPage(), _layout, slot, key, vector);
        _next++;
        if (slot + 1 == _layout.VectorsPerPage || _next == _count)
            _file.Seal(PageKind.GivenVectors, slot + 1, _layout.VectorOffset - PageCodec.HeaderSize + ((slot + 1) * _layout.VectorStride));
    }

    /// <summary>Ends the file, once all vectors were added, and returns when it is on disk.</summary>
    /// <returns>The file as a manifest names it.</returns>
    /// <exception cref="IndexWriteException">A write or the sync failed.</exception>
    public FileEntry Complete()
    {
        _file.Complete();
        return _file.Entry;
    }

    /// <summary>Closes the file.</summary>
    public void Dispose() => _file.Dispose();
}
