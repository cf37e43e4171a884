using System.Diagnostics;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Nodes;

/// <summary>Writes a node file from nodes in the order of their internal ids; holds only a few pages.</summary>
/// <remarks>Not thread-safe. Disposal before <see cref="Complete"/> leaves an incomplete file, which the creator deletes.</remarks>
internal sealed class NodeFileWriter : IDisposable
{
    private readonly PageFileWriter _file;
    private readonly NodeLayout _layout;
    private readonly long _count;
    private long _next;

    public NodeFileWriter(string path, NodeLayout layout, long count, ulong indexId, uint generation, IStorageIo io)
    {
        _layout = layout;
        _count = count;
        _file = new PageFileWriter(path, FileRole.Nodes, indexId, generation, layout.PageSize, PageCount(layout, count), io);
    }

    /// <summary>Pages of the file, the header included.</summary>
    public static long PageCount(NodeLayout layout, long count) => layout.PageCount(count) + 1;

    /// <summary>Appends a live node; its internal id is the number of nodes before it. The order of the links is kept.</summary>
    public void Add(ulong key, ReadOnlySpan<byte> vector, ReadOnlySpan<uint> links)
    {
        Debug.Assert(_next < _count, "there are no more nodes than announced");
        int slot = (int)(_next % _layout.NodesPerPage);
        Span<byte> page = slot == 0 ? _file.BeginPage() : _file.OpenPage();
        NodePage.WriteSlot(page, _layout, slot, key, vector, links);
        _next++;
        if (slot + 1 == _layout.NodesPerPage || _next == _count)
            _file.Seal(_layout.PageKind, slot + 1, (slot + 1) * _layout.SlotBytes);
    }

    /// <summary>Appends a composed page, and writes its header. All pages but the last have as many nodes.</summary>
    public void AddPage(ReadOnlySpan<byte> bytes, int nodes)
    {
        Debug.Assert(_next % _layout.Fill == 0 && _next + nodes <= _count, "pages are filled, and no more than were announced");
        bytes.CopyTo(_file.BeginPage());
        _next += nodes;
        _file.Seal(_layout.PageKind, nodes, bytes.Length - PageCodec.HeaderSize);
    }

    /// <summary>Ends the file, after all nodes were added, and returns its entry when it is on disk.</summary>
    public FileEntry Complete()
    {
        _file.Complete();
        return _file.Entry;
    }

    public void Dispose() => _file.Dispose();
}
