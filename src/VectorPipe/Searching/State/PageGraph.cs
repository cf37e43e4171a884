using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.State;

/// <summary>A few links of every page, in memory, and the entry points. A search walks them by code distance before it reads.</summary>
/// <remarks>Thread-safe, but for <see cref="Release"/>. A copy may be changed until searches see it.</remarks>
internal sealed unsafe class PageGraph : IDisposable
{
    private readonly NativeBuffer? _memory;
    private byte* _blocks;
    private int _blockBytes;
    private readonly uint _capacity;

    // A copy's memory: it lives as long as a search has it. An array of bytes would end at 2 GiB.
    private readonly UInt128[]? _pinned;

    private PageGraph(NativeBuffer memory, MergedPageLayout shape)
    {
        _memory = memory;
        _blockBytes = shape.PageGraphBytes;
        _capacity = (uint)shape.Capacity;
        Entries = new ReadOnlySpan<uint>(memory.Pointer, shape.Entries).ToArray();
        _blocks = memory.Pointer + (nint)shape.Entries * sizeof(uint);
    }

    private PageGraph(PageGraph other, int pages, int room)
    {
        _blockBytes = other._blockBytes;
        _capacity = other._capacity;
        Entries = other.Entries;
        _pinned = GC.AllocateArray<UInt128>(UnitsOf(room, _blockBytes), pinned: true);
        _blocks = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_pinned));
        long bytes = (long)pages * _blockBytes;
        Buffer.MemoryCopy(other._blocks, _blocks, bytes, bytes);
        GC.KeepAlive(other);
    }

    /// <summary>Internal ids of the entry points, ascending.</summary>
    public uint[] Entries { get; }

    /// <summary>Bytes of a page's links.</summary>
    public int BlockBytes => _blockBytes;

    /// <summary>Bytes of memory; 0 after <see cref="Release"/>.</summary>
    public long MemoryBytes => IsReleased ? 0 : _pinned is null ? (long)_memory!.Length : _pinned.LongLength * sizeof(UInt128);

    /// <summary>Whether the links were freed.</summary>
    public bool IsReleased { get; private set; }

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
    public int Read(uint page, uint* ids)
    {
        AssertInvariants();
        return _blockBytes == 0 ? 0 : PageGraphBlock.Read(Block(page), _blockBytes, _capacity, ids);
    }

    public void Prefetch(uint page)
    {
        if (!CachePrefetch.IsSupported || _blockBytes == 0)
            return;
        CachePrefetch.Line(Block(page));
        CachePrefetch.Line(Block(page) + _blockBytes - 1);
    }

    /// <summary>A copy that may be changed.</summary>
    /// <param name="pages">Pages that are copied.</param>
    /// <param name="room">Pages for which it has room.</param>
    public PageGraph Copy(int pages, int room)
    {
        AssertInvariants();
        return new PageGraph(this, pages, room);
    }

    /// <summary>The bytes of a page's links.</summary>
    public ReadOnlySpan<byte> BlockOf(uint page) => new(Block(page), _blockBytes);

    /// <summary>Sets the bytes of a page's links, in a copy.</summary>
    public void SetBlock(uint page, ReadOnlySpan<byte> block) => block.CopyTo(Writable(page));

    /// <summary>Writes links of a page, most valuable first, as far as there is room; in a copy.</summary>
    public void Write(uint page, ReadOnlySpan<uint> ranked)
    {
        Span<byte> block = Writable(page);
        block.Clear();
        PageGraphBlock.Write(ranked, _capacity, block);
    }

    /// <summary>Adds a link of a page, in a copy; another one goes if there is no room.</summary>
    public void Add(uint page, uint id)
    {
        uint* ids = stackalloc uint[PageGraphBlock.MaxLinks + 1];
        int count = Read(page, ids + 1);
        if (new ReadOnlySpan<uint>(ids + 1, count).Contains(id))
            return;

        // The last one goes: begin with another link each time, so that it is not always that of the highest id.
        new Span<uint>(ids + 1, (int)(id % (uint)Math.Max(1, count))).Reverse();
        new Span<uint>(ids + 1, count).Reverse();
        ids[0] = id;
        Write(page, new ReadOnlySpan<uint>(ids, Math.Min(count + 1, PageGraphBlock.MaxLinks)));
    }

    /// <summary>Describes why the links of a page are no list of nodes; null if they are.</summary>
    /// <param name="page">The page.</param>
    /// <param name="idCount">Internal ids are below this.</param>
    public string? FindDefect(uint page, uint idCount)
    {
        uint* ids = stackalloc uint[PageGraphBlock.MaxLinks];
        int count = Read(page, ids);
        for (int i = 0; i < count; i++)
        {
            if (ids[i] >= idCount)
                return $"expected links of page {page} below {idCount}, found {ids[i]}";
        }

        return count < 0 ? $"expected a list of links in the block of page {page}, found other bytes" : null;
    }

    /// <summary>Frees the links, when copies have taken their place and no search walks them; the entry points stay.</summary>
    public void Release()
    {
        Debug.Assert(_pinned is null, "a copy lives as long as a search has it");
        IsReleased = true;
        _blockBytes = 0;
        _blocks = null;
        Dispose();
    }

    public void Dispose() => _memory?.Dispose();

    private byte* Block(uint page) => _blocks + (nint)page * _blockBytes;

    private Span<byte> Writable(uint page)
    {
        Debug.Assert(_pinned is not null, "only a copy is changed");
        Debug.Assert(UnitsOf((int)page + 1, _blockBytes) <= _pinned.Length, "there is room for the page");
        return new Span<byte>(Block(page), _blockBytes);
    }

    /// <summary>Elements of a copy's array.</summary>
    /// <param name="room">Pages.</param>
    /// <param name="blockBytes">Bytes of a page's links.</param>
    internal static int UnitsOf(int room, int blockBytes) =>
        checked((int)((((long)room * blockBytes) + EliasFanoCode.Padding + sizeof(UInt128) - 1) / sizeof(UInt128)));

    [Conditional("DEBUG")]
    private void AssertInvariants() => Debug.Assert(!IsReleased, "views of before the first checkpoint have what the build wrote");

    private string? FindDefect(long pages, uint idCount)
    {
        if (Entries.FirstOrDefault(id => id >= idCount, 0u) is var entry && entry != 0)
            return $"expected entry points below {idCount}, found {entry}";
        for (long page = 0; page < pages && _blockBytes > 0; page++)
        {
            if (FindDefect((uint)page, idCount) is { } defect)
                return defect;
        }

        return null;
    }
}
