using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building.Ivf;

/// <summary>Writes the pages of vectors, list after list.</summary>
/// <remarks>
/// Not thread-safe. Disposed before <see cref="Complete"/> it leaves a file that no manifest names; whoever created it deletes it.
/// </remarks>
internal sealed class IvfVectorWriter : IDisposable
{
    private readonly NodeLayout _layout;
    private readonly PageFileWriter _file;
    private readonly byte[] _vector;

    /// <param name="path">File to create; must not exist, unless as room that was reserved.</param>
    /// <param name="layout">Where things lie in a page.</param>
    /// <param name="directory">Where the lists lie.</param>
    /// <param name="indexId">Identity of the index.</param>
    /// <param name="generation">Generation that writes.</param>
    /// <param name="io">Writes.</param>
    /// <exception cref="IndexWriteException">The file cannot be created, or the disk has no room for it.</exception>
    public IvfVectorWriter(string path, NodeLayout layout, IvfDirectory directory, ulong indexId, uint generation, IStorageIo io)
    {
        _layout = layout;
        _vector = new byte[layout.VectorBytes];
        _file = new PageFileWriter(path, FileRole.Nodes, indexId, generation, layout.PageSize, directory.Pages + 1L, io);
    }

    /// <summary>Appends the next list, its vectors in the form of the pages.</summary>
    /// <param name="points">Vectors and keys.</param>
    /// <param name="first">Its first row there.</param>
    /// <param name="rows">Its rows.</param>
    /// <exception cref="IndexWriteException">A write failed.</exception>
    public void Add(PointTable points, int first, int rows)
    {
        for (int done = 0; done < rows; done += _layout.NodesPerPage)
        {
            Span<byte> page = _file.BeginPage();
            int count = Math.Min(_layout.NodesPerPage, rows - done);
            for (int slot = 0; slot < count; slot++)
            {
                int row = first + done + slot;
                VectorConversion.Convert(points.Type, points.Vector(row), _layout.ElementType, _vector);
                NodePage.WriteVector(page, _layout, slot, points.Key(row), _vector);
            }

            _file.Seal(PageKind.ListVectors, count, _layout.VectorOffset - PageCodec.HeaderSize + (count * _layout.VectorStride));
        }
    }

    /// <summary>Ends the file, once all lists were added, and returns when it is on disk.</summary>
    /// <returns>The file as a manifest names it.</returns>
    public FileEntry Complete()
    {
        _file.Complete();
        return _file.Entry;
    }

    /// <summary>Closes the file.</summary>
    public void Dispose() => _file.Dispose();
}
