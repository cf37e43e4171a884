using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Storage;

namespace VectorPipe.Building.Paging;

/// <summary>Reads blocks of a paged table into their places: many in flight, neighbours in one read, each verified.</summary>
/// <remarks>One thread's. Memory: <see cref="MemoryBytes"/>.</remarks>
internal sealed class BlockReader : IPendingIoOwner, IDisposable
{
    /// <summary>Bytes of memory that a reader takes.</summary>
    public const int MemoryBytes = Depth * BufferBytes;

    private const int Depth = 32;
    private const int BlocksPerRead = 8;
    private const int BufferBytes = BlocksPerRead * PagedMemory.BlockBytes;

    private readonly PendingIoSession _session;
    private readonly Queue<(int First, int Count)> _waiting = new();
    private readonly List<(PagedRegion Region, int Block)> _arrived;
    private readonly List<(PagedRegion Region, int Block)> _failed;

    /// <param name="region">Whose blocks.</param>
    /// <param name="arrived">Receives the blocks that have come.</param>
    /// <param name="failed">Receives the blocks that have not.</param>
    public BlockReader(PagedRegion region, List<(PagedRegion Region, int Block)> arrived, List<(PagedRegion Region, int Block)> failed)
    {
        Region = region;
        _arrived = arrived;
        _failed = failed;
        _session = new PendingIoSession(region.Device, new PendingIoOptions { Capacity = Depth, BufferBytes = BufferBytes });
    }

    /// <summary>Whose blocks.</summary>
    public PagedRegion Region { get; }

    /// <summary>Whether reads are under way.</summary>
    public bool IsBusy => _session.Pending > 0 || _waiting.Count > 0;

    /// <summary>The first failure; null if there was none.</summary>
    public Exception? Error { get; private set; }

    /// <summary>Begins to read blocks.</summary>
    /// <param name="blocks">Blocks of this region from <paramref name="first"/> on, ascending.</param>
    /// <param name="first">The first one.</param>
    /// <param name="end">The one behind the last.</param>
    public void Begin(List<(PagedRegion Region, int Block)> blocks, int first, int end)
    {
        for (int next = first; next < end;)
        {
            int block = blocks[next].Block;
            int count = 1;
            while (count < BlocksPerRead && next + count < end && blocks[next + count].Block == block + count)
                count++;
            _waiting.Enqueue((block, count));
            next += count;
        }

        Issue();
        _session.Submit();
    }

    /// <summary>Takes in what has come, and sends out what has waited.</summary>
    /// <param name="wait">Longest time to wait for something to come.</param>
    public void Pump(TimeSpan wait)
    {
        _session.Drain(wait);
        Issue();
        _session.Submit();
    }

    /// <inheritdoc/>
    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        for (int at = 0; at < op.RequestLength; at += PagedMemory.BlockBytes)
        {
            int block = (int)op.Tag + at / PagedMemory.BlockBytes;
            try
            {
                Region.TakeIn(block, op.Bytes.Slice(at, PagedMemory.BlockBytes));
                _arrived.Add((Region, block));
            }
            catch (IndexCorruptException e)
            {
                Fail(block, e);
            }
        }

        return PendingIoOutcome.Done;
    }

    /// <inheritdoc/>
    public void OnReadFailed(PendingIoContext op, Exception error)
    {
        var failure = new DeviceException($"Reading scratch file {Region.Path} failed: {error.Message}", error);
        for (int at = 0; at < op.RequestLength; at += PagedMemory.BlockBytes)
            Fail((int)op.Tag + at / PagedMemory.BlockBytes, failure);
    }

    /// <summary>Closes the session. Nothing may be under way.</summary>
    public void Dispose() => _session.Dispose();

    private void Issue()
    {
        while (_session.Free > 0 && _waiting.TryPeek(out (int First, int Count) read))
        {
            if (!_session.TryIssue(0, (long)read.First * PagedMemory.BlockBytes, read.Count * PagedMemory.BlockBytes, this, read.First, read.First))
                return;
            _waiting.Dequeue();
        }
    }

    private void Fail(int block, Exception error)
    {
        Error ??= error;
        _failed.Add((Region, block));
    }
}
