using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building.Ivf;

/// <summary>Writes the pages of vectors, list after list, each list from a page of its own.</summary>
/// <remarks>
/// Not thread-safe. Disposed before <see cref="Complete"/>, it leaves a file that no manifest names and that the caller deletes.
/// </remarks>
internal sealed class IvfVectorWriter(
    string path, NodeLayout layout, IvfDirectory directory, ulong indexId, uint generation, IStorageIo io) : IDisposable
{
    private readonly PageFileWriter _file = new(path, FileRole.Nodes, indexId, generation, layout.PageSize, directory.Pages + 1L, io);
    private readonly byte[] _vector = new byte[layout.VectorBytes];

    /// <summary>Appends the vectors of the next list, neighbouring rows of <paramref name="points"/>.</summary>
    /// <exception cref="IndexWriteException">A write failed.</exception>
    public void Add(PointTable points, int first, int rows)
    {
        for (int done = 0; done < rows; done += layout.NodesPerPage)
        {
            Span<byte> page = _file.BeginPage();
            int count = Math.Min(layout.NodesPerPage, rows - done);
            for (int slot = 0; slot < count; slot++)
            {
                int row = first + done + slot;
                VectorConversion.Convert(points.Type, points.Vector(row), layout.ElementType, _vector);
                NodePage.WriteVector(page, layout, slot, points.Key(row), _vector);
            }

            _file.Seal(PageKind.ListVectors, count, layout.VectorOffset - PageCodec.HeaderSize + (count * layout.VectorStride));
        }
    }

    /// <summary>Ends the file after the last list; returns when it is on disk.</summary>
    public FileEntry Complete()
    {
        _file.Complete();
        return _file.Entry;
    }

    public void Dispose() => _file.Dispose();
}
