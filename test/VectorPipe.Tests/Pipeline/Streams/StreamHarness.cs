using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Tests.Pipeline.Streams;

/// <summary>A stream on a scripted device, which holds every read until the test or the script ends it.</summary>
internal sealed class StreamHarness : IDisposable
{
    public const int PageBytes = 512;

    private readonly ScriptedDevice _device = new();

    public StreamHarness(ReadStreamOptions? options = null, int pagesPerBuffer = 4, PendingIoOptions? reads = null)
    {
        Session = InFlight.Watch(
            new PendingIoSession(
                _device,
                (reads ?? new PendingIoOptions { Capacity = 64, SubmitEvery = 1 }) with { BufferBytes = pagesPerBuffer * PageBytes }),
            session => session.DescribeInFlight());
        Stream = new ReadStream(Session, Source, options ?? new ReadStreamOptions());
    }

    public PendingIoSession Session { get; }

    public ScriptedQueue Queue => _device.Queue;

    public ListSource Source { get; } = new(PageBytes);

    public ReadStream Stream { get; }

    /// <summary>Reads that the device holds, as first page and number of pages.</summary>
    public IEnumerable<(long Page, int Count)> Held => Queue.Held.Select(read => (read.Offset / PageBytes, read.Length / PageBytes));

    /// <summary>Leaves all reads with the device from now on.</summary>
    public void Withhold() => Queue.Script = static _ => ScriptedQueue.Withheld;

    /// <summary>Completes the read that begins at a page, and drains.</summary>
    public void Land(long page)
    {
        Finish(page, null);
        Session.Drain(TimeSpan.Zero);
    }

    /// <summary>Fails the read that begins at a page, and drains.</summary>
    public void Fail(long page, int errno)
    {
        Finish(page, -errno);
        Session.Drain(TimeSpan.Zero);
    }

    /// <summary>Completes all reads that the device holds, and drains.</summary>
    public void LandAll()
    {
        Session.Submit();
        while (Queue.Held.Count > 0)
            Queue.Finish(Queue.Held[0], Queue.Held[0].Length);
        Session.Drain(TimeSpan.Zero);
    }

    /// <summary>Takes a buffer, which must exist, and returns its page.</summary>
    public long Take()
    {
        Assert.That(Stream.TryGetNext(out ReadBuffer buffer), Is.True, $"status {Stream.Status}");
        return buffer.Range.Offset / PageBytes;
    }

    /// <summary>Takes all buffers that come before the stream ends, pauses or yields.</summary>
    public List<long> TakeAll()
    {
        var pages = new List<long>();
        while (Stream.TryGetNext(out ReadBuffer buffer))
            pages.Add(buffer.Range.Offset / PageBytes);
        return pages;
    }

    public void AssertIdle()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Session.Pending, Is.Zero, "pending");
            Assert.That(Session.Kept, Is.Zero, "kept");
            Assert.That(Session.Free, Is.EqualTo(Session.Capacity), "free");
        }
    }

    public void Dispose()
    {
        Stream.Dispose();
        Session.Dispose();
        _device.Dispose();
    }

    private void Finish(long page, int? result)
    {
        Session.Submit();
        DeviceRead read = Queue.Held.Single(held => held.Offset == page * PageBytes);
        Queue.Finish(read, result ?? read.Length);
    }
}
