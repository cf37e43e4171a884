using VectorPipe.Pipeline;

namespace VectorPipe.Building.Paging;

/// <summary>Reads blocks of a paged table into their places: many in flight, neighbours in one read, each verified.</summary>
/// <remarks>
/// It reads only requested blocks, which wait in a queue for a free read: callers know their blocks, so no look-ahead distance is steered.
/// One thread's. Memory: <see cref="MemoryBytes"/>.
/// </remarks>
internal sealed class BlockReader : IPendingIoOwner, IDisposable
{
    /// <summary>Memory of a reader.</summary>
    public static int MemoryBytes => Depth * BufferBytes;

    private const int Depth = 32;
    private const int BlocksPerRead = 8;
    private const int MaxRefusals = 100;

    private static readonly TimeSpan _wait = TimeSpan.FromMilliseconds(100);

    private readonly PendingIoSession _session;
    private readonly Queue<(int First, int Count)> _waiting = new();
    private readonly List<(PagedRegion Region, int Block)> _arrived;
    private readonly List<(PagedRegion Region, int Block)> _failed;
    private readonly HashSet<int> _underway = [];
    private Exception? _error;
    private int _refusals;

    private static int BufferBytes => BlocksPerRead * PagedMemory.BlockBytes;

    /// <summary>Adds the blocks that were read to <paramref name="arrived"/>, and the others to <paramref name="failed"/>.</summary>
    public BlockReader(PagedRegion region, List<(PagedRegion Region, int Block)> arrived, List<(PagedRegion Region, int Block)> failed)
    {
        Region = region;
        _arrived = arrived;
        _failed = failed;
        _session = new PendingIoSession(
            region.Device,
            new PendingIoOptions { Capacity = Depth, BufferBytes = BufferBytes, ReadTimeout = PendingIoOptions.LongestTimeout });
    }

    public PagedRegion Region { get; }

    /// <summary>Whether reads are in flight.</summary>
    public bool IsBusy => _underway.Count > 0;

    /// <summary>Takes the first failure since the previous call; null if there was none.</summary>
    public Exception? TakeError()
    {
        Exception? error = _error;
        _error = null;
        return error;
    }

    /// <summary>Begins to read blocks[first .. end - 1], ascending blocks of this region.</summary>
    public void Begin(List<(PagedRegion Region, int Block)> blocks, int first, int end)
    {
        for (int next = first; next < end;)
        {
            int block = blocks[next].Block;
            int count = 1;
            while (count < BlocksPerRead && next + count < end && blocks[next + count].Block == block + count)
                count++;
            _waiting.Enqueue((block, count));
            for (int i = block; i < block + count; i++)
                _underway.Add(i);
            next += count;
        }

        try
        {
            Issue();
            _session.Submit();
        }
        catch (DeviceException e)
        {
            GiveUp(e);
        }
    }

    /// <summary>Processes completions and issues waiting reads. If the device itself fails, all blocks in flight have failed.</summary>
    public void Pump(TimeSpan wait)
    {
        try
        {
            _session.Drain(wait);
            Issue();
            _session.Submit();
        }
        catch (DeviceException e)
        {
            GiveUp(e);
        }
    }

    /// <summary>Waits for all reads in flight.</summary>
    public void Finish()
    {
        while (IsBusy)
            Pump(_wait);
    }

    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        for (int at = 0; at < op.RequestLength; at += PagedMemory.BlockBytes)
        {
            int block = (int)op.Tag + at / PagedMemory.BlockBytes;
            try
            {
                if (!_underway.Contains(block))
                    continue;
                Region.TakeIn(block, op.Bytes.Slice(at, PagedMemory.BlockBytes));
                _underway.Remove(block);
                _arrived.Add((Region, block));
            }
            catch (IndexCorruptException e)
            {
                Fail(block, e);
            }
        }

        return PendingIoOutcome.Done;
    }

    public void OnReadFailed(PendingIoContext op, Exception error)
    {
        var failure = new DeviceException($"Reading scratch file {Region.Path} failed: {error.Message}", error);
        for (int at = 0; at < op.RequestLength; at += PagedMemory.BlockBytes)
            Fail((int)op.Tag + at / PagedMemory.BlockBytes, failure);
    }

    public void Dispose() => _session.Dispose();

    private void Issue()
    {
        while (_session.Free > 0 && _waiting.TryPeek(out (int First, int Count) read))
        {
            if (
                _session.TryIssue(
                    0, (long)read.First * PagedMemory.BlockBytes, read.Count * PagedMemory.BlockBytes, this, read.First, read.First))
            {
                _refusals = 0;
                _waiting.Dequeue();
                continue;
            }

            // A later drain takes a refusal back; with nothing in flight there is none to wait for.
            if (_session.Pending == 0 && ++_refusals == MaxRefusals)
                throw new DeviceException(
                    $"Reading scratch file {Region.Path} failed: the device took no read of {read.Count * PagedMemory.BlockBytes} bytes "
                    + $"at block {read.First}");
            return;
        }
    }

    // The session may still hold reads of these blocks; whatever they deliver later is ignored.
    private void GiveUp(DeviceException error)
    {
        _error ??= error;
        _waiting.Clear();
        foreach (int block in _underway)
            _failed.Add((Region, block));
        _underway.Clear();
    }

    private void Fail(int block, Exception error)
    {
        _error ??= error;
        if (_underway.Remove(block))
            _failed.Add((Region, block));
    }
}
