using VectorPipe.Devices.Native;

namespace VectorPipe.Building.Paging;

/// <summary>The bytes of a big table of a build: all in memory, or paged.</summary>
/// <remarks>
/// Every byte has an address for good. Those of a paged table may be touched only while a <see cref="PageLease"/> has them in memory. Freed
/// by <see cref="Dispose"/>.
/// </remarks>
internal sealed unsafe class TableMemory : IDisposable
{
    private readonly NativeBuffer? _buffer;

    private TableMemory(NativeBuffer buffer)
    {
        _buffer = buffer;
        Pointer = buffer.Pointer;
    }

    private TableMemory(PagedRegion region)
    {
        Region = region;
        Pointer = region.Pointer;
    }

    /// <summary>The first byte; zeroed memory.</summary>
    public byte* Pointer { get; }

    /// <summary>What pages the bytes; null if all are in memory.</summary>
    public PagedRegion? Region { get; }

    /// <summary>Takes memory for a table.</summary>
    /// <param name="paging">What pages it; null to have it in memory whole.</param>
    /// <param name="name">Names the table's scratch file.</param>
    /// <param name="length">Bytes, more than 0.</param>
    /// <exception cref="OutOfMemoryException">The memory cannot be had.</exception>
    /// <exception cref="IndexWriteException">The disk has no room for the scratch file.</exception>
    public static TableMemory Take(PagedMemory? paging, string name, long length) =>
        paging is null ? new TableMemory(new NativeBuffer((nuint)length)) : new TableMemory(paging.Create(name, length));

    /// <summary>Frees the memory, and deletes the scratch file.</summary>
    public void Dispose()
    {
        _buffer?.Dispose();
        Region?.Dispose();
    }
}
