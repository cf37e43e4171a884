using System.Diagnostics;
using Microsoft.Extensions.Logging;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Native;
using VectorPipe.Diagnostics;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building.Paging;

/// <summary>
/// A bounded amount of memory for tables of any size: blocks come from scratch files when they are asked for, and those not asked for the
/// longest go.
/// </summary>
/// <remarks>
/// <para>A worker rents a <see cref="PageLease"/>; what it asks for stays until it begins anew. Tickets rise with every beginning, so
/// blocks with a ticket
/// at or above the lowest of all running leases are in use, and none of the others is.</para>
/// <para>What is computed does not depend on what happens to be in memory: a budget changes the time that a build takes, never its outcome.
/// Thread-safe.</para>
/// </remarks>
internal sealed partial class PagedMemory : IDisposable
{
    /// <summary>Bytes of a block: the unit that comes and goes.</summary>
    public const int BlockBytes = 1 << BlockShift;

    /// <summary>Bytes that are asked for together when a table is gone through from front to back.</summary>
    public const int BytesTogether = 1 << 18;

    // What searches ask for lies apart: blocks of 16 KiB read and held twice the bytes (a million vectors within 96 MiB).
    private const int BlockShift = 12;

    private const int FullCheckEvery = 64;

    // Between two tickets is a number for what came uncalled for under the higher one: later than all before it, and nobody's ticket.
    private const int TicketStep = 2;

    private readonly object _gate = new();
    private readonly string _directory;
    private readonly Func<string, string> _fileName;
    private readonly List<PagedRegion> _regions = [];
    private readonly ResidentBlocks _resident = new();
    private readonly List<(PagedRegion Region, int First, int Count)> _leaving = [];
    private readonly MemoryReturn _memoryReturn = new();
    private readonly List<PageLease> _leases = [];
    private long _lastTicket;
    private long _capacity;
    private long _leaseShare = 1;
    private long _used;
    private int _changes;

    /// <param name="directory">Where the scratch files are.</param>
    /// <param name="fileName">Name of the scratch file of a table's name.</param>
    /// <param name="device">What reads them.</param>
    /// <param name="io">What writes them.</param>
    /// <param name="logger">Told which device was chosen.</param>
    /// <param name="openDevice">Opens scratch files for reading; null for the device that <paramref name="device"/> names.</param>
    public PagedMemory(
        string directory, Func<string, string> fileName, DeviceOptions device, IStorageIo io, ILogger logger,
        DeviceOpener? openDevice = null)
    {
        OpenDevice = openDevice ?? (static (paths, options, log) => DeviceFactory.Open(paths, options, log));
        _directory = directory;
        _fileName = fileName;
        Device = device;
        Io = io;
        Logger = logger;
    }

    /// <summary>What reads the scratch files.</summary>
    public DeviceOptions Device { get; }

    /// <summary>Opens scratch files for reading.</summary>
    public DeviceOpener OpenDevice { get; }

    /// <summary>What writes the scratch files.</summary>
    public IStorageIo Io { get; }

    /// <summary>Told which device was chosen.</summary>
    public ILogger Logger { get; }

    /// <summary>Bytes that were read from scratch files.</summary>
    public long BytesRead { get; private set; }

    /// <summary>Bytes that were written to scratch files.</summary>
    public long BytesWritten { get; private set; }

    /// <summary>Bytes of blocks in memory.</summary>
    public long ResidentBytes => Interlocked.Read(ref _used) << BlockShift;

    /// <summary>
    /// Blocks that each lease may go on to hold without those of all together being in each other's way: half of the memory.
    /// </summary>
    public long LeaseShare => Volatile.Read(ref _leaseShare);

    /// <summary>The block of a byte.</summary>
    public static int BlockOf(long offset) => (int)(offset >> BlockShift);

    /// <summary>
    /// Rows of so many bytes that are asked for together when a table is gone through from front to back: enough to be read in large
    /// pieces.
    /// </summary>
    public static int RowsTogether(long rowBytes) => (int)Math.Clamp(BytesTogether / rowBytes, 1, 1024);

    /// <summary>Blocks that a row of so many bytes may touch.</summary>
    public static long BlocksOf(long bytes) => (bytes + BlockBytes - 2) / BlockBytes + 1;

    /// <summary>States how much memory there is from now on; what is too much goes.</summary>
    /// <param name="bytes">More than all leases hold at a time.</param>
    public void SetCapacity(long bytes)
    {
        lock (_gate)
        {
            _capacity = Math.Max(1, bytes >> BlockShift);
            Share();
            while (_used > _capacity && TryEvict())
            {
            }
        }
    }

    /// <summary>Makes a table of zeros.</summary>
    /// <param name="name">Names its file.</param>
    /// <param name="length">Bytes.</param>
    public PagedRegion Create(string name, long length)
    {
        var region = new PagedRegion(this, Path.Combine(_directory, _fileName(name)), length);
        lock (_gate)
            _regions.Add(region);
        return region;
    }

    /// <summary>Takes blocks that were never written into memory for good.</summary>
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

    /// <summary>The next ticket: an even number.</summary>
    public long NextTicket() => Interlocked.Add(ref _lastTicket, TicketStep);

    /// <summary>Ends a lease.</summary>
    public void Return(PageLease lease)
    {
        lock (_gate)
        {
            _leases.Remove(lease);
            Share();
        }
    }

    /// <summary>Drops a region's blocks without writing them.</summary>
    /// <returns>False if it was dropped before.</returns>
    public bool Forget(PagedRegion region)
    {
        lock (_gate)
        {
            if (!_regions.Remove(region))
                return false;
            for (int block = 0; block < region.BlockCount; block++)
            {
                Debug.Assert(region.State(block) != PagedRegion.Busy, "nobody reads a table that goes");
                if (region.State(block) >= 0)
                    Remove(region, block);
            }

            AssertInvariants();

            return true;
        }
    }

    /// <summary>Deletes a scratch file; one that cannot be deleted now goes with the next build, which finds it by its name.</summary>
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

    /// <summary>Drops all regions that are left.</summary>
    public void Dispose()
    {
        PagedRegion[] regions;
        lock (_gate)
            regions = [.. _regions];
        foreach (PagedRegion region in regions)
            region.Dispose();
        _memoryReturn.Dispose();
    }

    // Every block in the list costs a look: all of it now and then, the sums at every change.
    private void Share() => Volatile.Write(ref _leaseShare, _capacity / (2L * Math.Max(1, _leases.Count)));

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Monitor.IsEntered(_gate), "state changes under the lock");
        Debug.Assert(_leaving.Count == 0 && _memoryReturn.Count == 0, "what leaves has left when the lock is given back");
        Debug.Assert(_used == _resident.Count + _leases.Sum(lease => lease.Underway), "what is used is in memory or on its way");
        if (_changes++ % FullCheckEvery == 0)
        {
            _resident.AssertInvariants();
            _regions.ForEach(region => region.AssertInvariants());
        }
    }
}
