using VectorPipe.Devices.Native;
using VectorPipe.Numerics;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.Index;

/// <summary>A few links of every page, in memory, and the entry points. A search walks them by code distance before it reads.</summary>
/// <remarks>Immutable and thread-safe.</remarks>
internal sealed unsafe class PageGraph : IDisposable
{
    private readonly NativeBuffer _memory;
    private readonly byte* _blocks;
    private readonly int _blockBytes;
    private readonly uint _capacity;

    private PageGraph(NativeBuffer memory, MergedPageLayout shape)
    {
        _memory = memory;
        _blockBytes = shape.PageGraphBytes;
        _capacity = (uint)shape.Capacity;
        Entries = new ReadOnlySpan<uint>(memory.Pointer, shape.Entries).ToArray();
        _blocks = memory.Pointer + (nint)shape.Entries * sizeof(uint);
    }

    /// <summary>Internal ids of the entry points, ascending.</summary>
    public uint[] Entries { get; }

    /// <summary>Reads the page graph and checks that all links lead to nodes of the index.</summary>
    /// <exception cref="IndexCorruptException">The file is damaged.</exception>
    public static PageGraph Load(PageFileReader reader, IndexSchema schema, CancellationToken cancellationToken)
    {
        MergedPageLayout shape = schema.Merged!;
        long pages = schema.NodePages;
        long length = shape.StreamLength(pages);
        if (reader.Header.StreamLength != length)
            throw new IndexCorruptException(
                reader.FilePath, 0, $"expected {length} bytes of entry points and links, found {reader.Header.StreamLength}");
        var memory = new NativeBuffer((nuint)length);
        try
        {
            reader.ReadAll(memory, cancellationToken);
            var graph = new PageGraph(memory, shape);
            if (graph.FindDefect(pages, (uint)schema.IdCount) is { } defect)
                throw new IndexCorruptException(reader.FilePath, defect);
            return graph;
        }
        catch
        {
            memory.Dispose();
            throw;
        }
    }

    /// <summary>Reads the links of a page, and returns their number.</summary>
    /// <param name="page">The page.</param>
    /// <param name="ids">Receives internal ids; room for <see cref="PageGraphBlock.MaxLinks"/>.</param>
    public int Read(uint page, uint* ids) => _blockBytes == 0 ? 0 : PageGraphBlock.Read(Block(page), _blockBytes, _capacity, ids);

    public void Prefetch(uint page)
    {
        if (!CachePrefetch.IsSupported || _blockBytes == 0)
            return;
        CachePrefetch.Line(Block(page));
        CachePrefetch.Line(Block(page) + _blockBytes - 1);
    }

    public void Dispose() => _memory.Dispose();

    private byte* Block(uint page) => _blocks + (nint)page * _blockBytes;

    private string? FindDefect(long pages, uint idCount)
    {
        if (Entries.FirstOrDefault(id => id >= idCount, 0u) is var entry && entry != 0)
            return $"expected entry points below {idCount}, found {entry}";
        uint* ids = stackalloc uint[PageGraphBlock.MaxLinks];
        for (long page = 0; page < pages && _blockBytes > 0; page++)
        {
            int count = Read((uint)page, ids);
            for (int i = 0; i < count; i++)
            {
                if (ids[i] >= idCount)
                    return $"expected links of page {page} below {idCount}, found {ids[i]}";
            }

            if (count < 0)
                return $"expected a list of links in the block of page {page}, found other bytes";
        }

        return null;
    }
}
