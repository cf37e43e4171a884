using System.Runtime.ExceptionServices;
using VectorPipe.Devices;
using VectorPipe.Pipeline;

namespace VectorPipe.Building.Paging;

/// <summary>Reads blocks of a paged table into their places: many in flight, neighbours in one read, each verified.</summary>
/// <remarks>One thread's. Memory: <see cref="MemoryBytes"/>.</remarks>
internal sealed class BlockReader : IPendingIoOwner, IDisposable
{
    /// <summary>Bytes of memory that a reader takes.</summary>
    public const int MemoryBytes = Depth * BufferBytes;

    private const int Depth = 16;
    private const int BlocksPerRead = 4;
    private const int BufferBytes = BlocksPerRead * PagedMemory.BlockBytes;

    private const int MaxRefusals = 100;

    private static readonly TimeSpan _wait = TimeSpan.FromMilliseconds(100);

    private readonly PendingIoSession _session;
    private Exception? _error;

    /// <param name="region">Whose blocks.</param>
    public BlockReader(PagedRegion region)
    {
        Region = region;
        _session = new PendingIoSession(region.Device, new PendingIoOptions { Capacity = Depth, BufferBytes = BufferBytes });
    }

    /// <summary>Whose blocks.</summary>
    public PagedRegion Region { get; }

    /// <summary>Reads blocks; returns when all are in their places.</summary>
    /// <param name="blocks">Blocks of this region from <paramref name="first"/> on, ascending.</param>
    /// <param name="first">The first one.</param>
    /// <param name="end">The one behind the last.</param>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="Storage.IndexCorruptException">The file is damaged.</exception>
    public void Read(List<BlockClaim> blocks, int first, int end)
    {
        int next = first;
        int refusals = 0;
        while (_error is null && (next < end || _session.Pending > 0))
        {
            while (next < end && _session.Free > 0)
            {
                int block = blocks[next].Block;
                int count = 1;
                while (count < BlocksPerRead && next + count < end && blocks[next + count].Block == block + count)
                    count++;

                // A refusal is taken back by a later drain; without anything in flight there is none to wait for.
                if (_session.TryIssue(0, (long)block * PagedMemory.BlockBytes, count * PagedMemory.BlockBytes, this, block, block))
                    next += count;
                else if (_session.Pending > 0 || ++refusals < MaxRefusals)
                    break;
                else
                    throw new DeviceException($"Reading scratch file {Region.Path} failed: the device took no read of {count * PagedMemory.BlockBytes} bytes at block {block}");
            }

            _session.Drain(_wait);
        }

        Exception? error = _error;
        while (_session.Pending > 0)
            _session.Drain(_wait);
        _error = null;
        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
    }

    /// <inheritdoc/>
    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        for (int at = 0; at < op.RequestLength && _error is null; at += PagedMemory.BlockBytes)
        {
            try
            {
                Region.TakeIn((int)op.Tag + at / PagedMemory.BlockBytes, op.Bytes.Slice(at, PagedMemory.BlockBytes));
            }
            catch (Storage.IndexCorruptException e)
            {
                _error = e;
            }
        }

        return PendingIoOutcome.Done;
    }

    /// <inheritdoc/>
    public void OnReadFailed(PendingIoContext op, Exception error) =>
        _error ??= new DeviceException($"Reading scratch file {Region.Path} failed: {error.Message}", error);

    /// <summary>Closes the session.</summary>
    public void Dispose() => _session.Dispose();
}
