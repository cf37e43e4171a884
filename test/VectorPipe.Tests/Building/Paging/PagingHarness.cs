using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Building.Paging;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Paging;

/// <summary>A paged memory in a folder of its own, and blocks whose numbers can be written and read.</summary>
internal sealed unsafe class PagingHarness : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public PagingHarness(
        int blocks, IStorageIo? io = null, DeviceOpener? openDevice = null, DeviceKind kind = DeviceKind.Portable, ILogger? logger = null,
        IReservedMemory? reserved = null)
    {
        Memory = new PagedMemory(
            _folder.Path, name => name, new DeviceOptions { Kind = kind }, io ?? FileStorageIo.Instance, logger ?? NullLogger.Instance,
            openDevice, reserved);
        Memory.SetCapacity(Bytes(blocks));
    }

    public PagedMemory Memory { get; }

    public string[] FileNames => _folder.FileNames;

    public static long Bytes(int blocks) => (long)blocks * PagedMemory.BlockBytes;

    public PagedRegion Create(int blocks, string name = "table") => Memory.Create(name, Bytes(blocks));

    /// <summary>A region whose blocks hold their numbers, and are all in the file.</summary>
    public PagedRegion CreateFilled(int blocks, string name = "table")
    {
        PagedRegion region = Create(blocks, name);
        using (PageLease lease = Memory.Rent())
        {
            for (int block = 0; block < blocks; block++)
            {
                Bring(lease, region, block);
                Write(region, block, block + 1);
            }
        }

        long capacity = Memory.ResidentBytes;
        Memory.SetCapacity(0);
        Memory.SetCapacity(capacity);
        return region;
    }

    /// <summary>Begins a lease and brings blocks into memory.</summary>
    public static void Bring(PageLease lease, PagedRegion region, params int[] blocks)
    {
        lease.Begin();
        BringMore(lease, region, blocks);
    }

    /// <summary>Brings blocks into memory beside those that a lease holds.</summary>
    public static void BringMore(PageLease lease, PagedRegion region, params int[] blocks)
    {
        foreach (int block in blocks)
            lease.Ask(region, Bytes(block), PagedMemory.BlockBytes);
        lease.Fetch();
    }

    public static void Write(PagedRegion region, int block, long value)
    {
        new Span<long>(region.Pointer + Bytes(block), PagedMemory.BlockBytes / sizeof(long)).Fill(value);
        region.MarkDirty(Bytes(block), PagedMemory.BlockBytes);
    }

    /// <summary>The number that all of a block repeats; -1 if it does not.</summary>
    public static long Read(PagedRegion region, int block)
    {
        var values = new ReadOnlySpan<long>(region.Pointer + Bytes(block), PagedMemory.BlockBytes / sizeof(long));
        return values.IndexOfAnyExcept(values[0]) < 0 ? values[0] : -1;
    }

    public void Dispose()
    {
        Memory.Dispose();
        _folder.Dispose();
    }
}
