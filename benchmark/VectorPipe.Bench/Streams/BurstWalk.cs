using VectorPipe.Bench.Reads;
using VectorPipe.Devices;
using VectorPipe.Measuring.Data;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Streams;

/// <summary>Reads random pages in bursts. The pages of a burst are known only after the one before, as in a walk of a graph.</summary>
/// <param name="burst">Pages per burst.</param>
/// <param name="bursts">Bursts per run.</param>
internal sealed class BurstWalk(IDevice device, PageFile file, int burst, int bursts, ulong seed) : IPendingIoOwner
{
    // Enough to compile the code and map the buffers.
    private const int WarmUpBursts = 50;

    private static readonly TimeSpan _wait = TimeSpan.FromMilliseconds(10);

    private SplitMix64 _random;
    private int _left;

    /// <summary>Reads each burst through a stream, in order.</summary>
    /// <param name="isKept">Whether the stream keeps its look-ahead distance between bursts; otherwise it is reset.</param>
    public StreamResultRow RunStream(int lookAhead, bool isKept)
    {
        using PendingIoSession session = Open();
        using var stream = new ReadStream(
            session, new PageReads(file, NextPage, isVerified: true), new ReadStreamOptions { MaxReads = lookAhead, CombineLimit = 1 });
        Begin();
        for (int i = 0; i < WarmUpBursts; i++)
            TakeBurst(stream, isKept);
        DeviceCounters before = session.Counters;
        long waits = stream.Waits;
        var meter = StreamMeter.Start();
        for (int i = 0; i < bursts; i++)
            TakeBurst(stream, isKept);
        return meter.End(
            isKept ? "kept" : "forgotten", lookAhead, burst, (long)burst * bursts, before, session.Counters, stream.Waits - waits);
    }

    /// <summary>Issues each burst at once, and handles its pages in order of completion.</summary>
    public StreamResultRow RunQueue()
    {
        using PendingIoSession session = Open();
        Begin();
        for (int i = 0; i < WarmUpBursts; i++)
            ReadBurst(session);
        DeviceCounters before = session.Counters;
        var meter = StreamMeter.Start();
        for (int i = 0; i < bursts; i++)
            ReadBurst(session);
        return meter.End("queue", burst, burst, (long)burst * bursts, before, session.Counters, waits: null);
    }

    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        PageFault fault = file.Check(op.Bytes, op.Tag);
        if (fault != PageFault.None)
            throw file.Error(op.Bytes, op.Tag, fault);
        return PendingIoOutcome.Done;
    }

    public void OnReadFailed(PendingIoContext op, Exception error) =>
        throw new IOException($"{file.FilePath}, page {op.Tag}: {error.Message}", error);

    private PendingIoSession Open() =>
        new(device, new PendingIoOptions { Capacity = Math.Max(64, 2 * burst), BufferBytes = file.PageSize });

    private void Begin()
    {
        _random = new SplitMix64(seed);
        _left = burst;
    }

    private void TakeBurst(ReadStream stream, bool isKept)
    {
        while (stream.TryGetNext(out _))
        {
        }

        _left = burst;
        if (isKept)
            stream.Resume();
        else
            stream.Reset();
    }

    private void ReadBurst(PendingIoSession session)
    {
        _left = burst;
        for (long page = NextPage(); page >= 0; page = NextPage())
        {
            if (!session.TryIssue(0, page * file.PageSize, file.PageSize, this, 0, page))
                throw new InvalidOperationException("Expected room for a burst in the session.");
        }

        while (session.Pending > 0)
            session.Drain(_wait);
    }

    // Every way to read visits the same pages.
    private long NextPage() => --_left < 0 ? PageReads.Pause : file.RandomOffset(ref _random) / file.PageSize;
}
