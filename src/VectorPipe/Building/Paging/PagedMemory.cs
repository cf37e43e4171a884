using System.Diagnostics;
using System.Numerics;
using Microsoft.Extensions.Logging;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Native;
using VectorPipe.Diagnostics;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building.Paging;

/// <summary>
/// A bounded amount of memory for tables of any size: blocks are read from scratch files on demand, and the least recently used are
/// evicted.
/// </summary>
/// <remarks>
/// <para>A worker rents a <see cref="PageLease"/>; its blocks stay in memory until it begins again. Tickets rise with every beginning, so
/// exactly the blocks with a ticket at or above the lowest of all running leases are in use.</para>
/// <para>A budget changes the time of a build, never its result. Thread-safe.</para>
/// </remarks>
internal sealed partial class PagedMemory : IDisposable
{
    /// <summary>Bytes that are asked for together in a pass over a table.</summary>
    public const int BytesTogether = 1 << 18;

    private const int FullCheckEvery = 64;

    // Tickets advance by 2. The number between two tickets stamps blocks read ahead under the higher one: newer than all earlier blocks,
    // held by no lease.
    private const int TicketStep = 2;

    // Searches ask for scattered rows (docs/decisions.md#paged-builds), and the system gives and takes whole pages, which are larger than
    // 4 KiB on some machines (macOS on arm64: 16 KiB).
    private static readonly int _blockShift = Math.Max(12, BitOperations.Log2((uint)Environment.SystemPageSize));

    private readonly object _gate = new();
    private readonly string _directory;
    private readonly Func<string, string> _fileName;
    private readonly List<PagedRegion> _regions = [];
    private readonly ResidentBlocks _resident = new();
    private readonly List<(PagedRegion Region, int First, int Count)> _leaving = [];
    private readonly MemoryReturn _memoryReturn;
    private readonly List<PageLease> _leases = [];
    private long _lastTicket;
    private long _capacity;
    private long _leaseShare = 1;
    private long _used;
    private int _changes;

    /// <summary>
    /// Creates scratch files in a directory; without an opener the device options choose the device that reads them, and without a way to
    /// reserve memory it is that of the system.
    /// </summary>
    public PagedMemory(
        string directory, Func<string, string> fileName, DeviceOptions device, IStorageIo io, ILogger logger,
        DeviceOpener? openDevice = null, IReservedMemory? reserved = null)
    {
        Reserved = reserved ?? ReservedMemory.OfThisSystem ?? throw new PlatformNotSupportedException("No way to reserve memory is known.");
        _memoryReturn = new MemoryReturn(Reserved);
        OpenDevice = openDevice ?? (static (paths, options, log) => DeviceFactory.Open(paths, options, log));
        _directory = directory;
        _fileName = fileName;
        Device = device;
        Io = io;
        Logger = logger;
    }

    /// <summary>Reserves the addresses of tables.</summary>
    public IReservedMemory Reserved { get; }

    public DeviceOptions Device { get; }

    /// <summary>Bytes of a block, the unit of loading and eviction.</summary>
    public static int BlockBytes => 1 << _blockShift;

    public DeviceOpener OpenDevice { get; }

    public IStorageIo Io { get; }

    public ILogger Logger { get; }

    /// <summary>Bytes read from scratch files.</summary>
    public long BytesRead { get; private set; }

    /// <summary>Bytes written to scratch files.</summary>
    public long BytesWritten { get; private set; }

    /// <summary>Bytes of blocks in memory.</summary>
    public long ResidentBytes => Interlocked.Read(ref _used) << _blockShift;

    /// <summary>Blocks that each lease may keep, so that all together leave half of the memory free.</summary>
    public long LeaseShare => Volatile.Read(ref _leaseShare);

    public static int BlockOf(long offset) => (int)(offset >> _blockShift);

    /// <summary>Rows that are asked for together in a pass over a table: enough for large reads.</summary>
    public static int RowsTogether(long rowBytes) => (int)Math.Clamp(BytesTogether / rowBytes, 1, 1024);

    /// <summary>Most blocks that a row touches.</summary>
    public static long BlocksOf(long bytes) => (bytes + BlockBytes - 2) / BlockBytes + 1;

    /// <summary>Sets the memory for blocks, and evicts the surplus.</summary>
    public void SetCapacity(long bytes)
    {
        lock (_gate)
        {
            _capacity = Math.Max(1, bytes >> _blockShift);
            Share();
            while (_used > _capacity && TryEvict())
            {
            }
        }
    }

    /// <summary>Creates a table of zeros.</summary>
    public PagedRegion Create(string name, long length)
    {
        var region = new PagedRegion(this, Path.Combine(_directory, _fileName(name)), length);
        lock (_gate)
            _regions.Add(region);
        return region;
    }

    /// <summary>Loads blocks that were never written, for good.</summary>
    /// <exception cref="InvalidOperationException">There is no room for them.</exception>
    public void Hold(PagedRegion region, int first, int last)
    {
        lock (_gate)
        {
            for (int block = first; block <= last; block++)
            {
                if (region.State(block) == PagedRegion.Held)
                    continue;
                if (_used >= _capacity && !TryEvict())
                    throw NoRoom();
                region.Take(block);
                _used++;
                _resident.Add(region, block, PagedRegion.Held);
            }

            AssertInvariants();
        }
    }

    /// <summary>Rents a lease for a thread.</summary>
    public PageLease Rent()
    {
        var lease = new PageLease(this);
        lock (_gate)
        {
            _leases.Add(lease);
            Share();
        }

        return lease;
    }

    public long NextTicket() => Interlocked.Add(ref _lastTicket, TicketStep);

    public void Return(PageLease lease)
    {
        lock (_gate)
        {
            _leases.Remove(lease);
            Share();
        }
    }

    /// <summary>Drops the blocks of a region without writing them; false if it was dropped before.</summary>
    public bool Forget(PagedRegion region)
    {
        lock (_gate)
        {
            if (!_regions.Remove(region))
                return false;
            for (int block = 0; block < region.BlockCount; block++)
            {
                Debug.Assert(region.State(block) != PagedRegion.Busy, "no thread reads a table that is dropped");
                if (region.State(block) >= 0)
                    Remove(region, block);
            }

            AssertInvariants();

            return true;
        }
    }

    /// <summary>Deletes a scratch file. The next build deletes a file that resists, which it knows by its name.</summary>
    public void Delete(string path)
    {
        try
        {
            Io.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            BuildLog.LeftoversStay(Logger, e, path);
        }
    }

    public void Dispose()
    {
        PagedRegion[] regions;
        lock (_gate)
            regions = [.. _regions];
        foreach (PagedRegion region in regions)
            region.Dispose();
        _memoryReturn.Dispose();
    }

    private void Share() => Volatile.Write(ref _leaseShare, _capacity / (2L * Math.Max(1, _leases.Count)));

    // Checks every block now and then, and the sums at every change.
    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Monitor.IsEntered(_gate), "state changes under the lock");
        Debug.Assert(_leaving.Count == 0 && _memoryReturn.Count == 0, "no block is leaving when the lock is released");
        Debug.Assert(_used == _resident.Count + _leases.Sum(lease => lease.Underway), "used blocks are in memory or being read");
        if (_changes++ % FullCheckEvery == 0)
        {
            _resident.AssertInvariants();
            _regions.ForEach(region => region.AssertInvariants());
        }
    }
}
