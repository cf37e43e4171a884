using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Memory;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Pipeline.Streams;

/// <summary>Memory and work are bounded, and a step allocates nothing.</summary>
[Alone]
public sealed class ReadStreamBoundTests
{
    private const int Page = 512;

    [Test]
    public void A_consumer_that_stops_holds_no_more_than_the_limits()
    {
        var options = new ReadStreamOptions { MaxReads = 4, CombineLimit = 4, StartsFull = true };
        using var harness = new StreamHarness(options);
        harness.Source.Pages(Enumerable.Range(0, 10_000).Select(i => (long)i));
        for (int i = 0; i < 1000; i++)
            harness.Take();
        for (int turn = 0; turn < 100; turn++)
            harness.Session.Drain(TimeSpan.Zero);

        using (Assert.EnterMultipleScope())
        {
            Assert.That(harness.Stream.Buffered, Is.LessThanOrEqualTo(options.MaxAhead));
            Assert.That(harness.Session.Pending + harness.Session.Kept, Is.LessThanOrEqualTo(options.MaxReads + 1));
            Assert.That(harness.Source.Asked, Is.LessThanOrEqualTo(1000 + options.MaxAhead + 1));
        }
    }

    [Test]
    public void A_call_asks_the_source_for_no_more_ranges_than_may_be_ahead()
    {
        var options = new ReadStreamOptions { MaxReads = 2, CombineLimit = 4, StartsFull = true };
        using var harness = new StreamHarness(options);
        harness.Source.Pages(Enumerable.Range(0, 1000).Select(i => (long)i));
        int most = 0;
        for (int i = 0; i < 500; i++)
        {
            int before = harness.Source.Asked;
            harness.Take();
            most = Math.Max(most, harness.Source.Asked - before);
        }

        Assert.That(most, Is.LessThanOrEqualTo(options.MaxAhead + 1));
    }

    [TestCase(1)]
    [TestCase(8)]
    public void Steps_allocate_nothing(int stride)
    {
        using LocalMemoryDevice device = Open();
        using var session = new PendingIoSession(device, new PendingIoOptions { Capacity = 32, BufferBytes = 8 * Page });
        var source = new CyclicSource(stride);
        using var stream = new ReadStream(session, source, new ReadStreamOptions());
        Walk(stream, 1000);

        Assert.That(Allocations.OfThread(() => Walk(stream, 100_000)), Is.Zero);
    }

    [Test]
    public void Pauses_and_resets_allocate_nothing()
    {
        using LocalMemoryDevice device = Open();
        using var session = new PendingIoSession(device, new PendingIoOptions { Capacity = 32, BufferBytes = Page });
        var source = new CyclicSource(3) { Burst = 16 };
        using var stream = new ReadStream(session, source, new ReadStreamOptions());
        Bursts(stream, 100);

        Assert.That(Allocations.OfThread(() => Bursts(stream, 2000)), Is.Zero);
    }

    [Test]
    public void Steps_without_waiting_allocate_nothing()
    {
        using LocalMemoryDevice device = Open();
        using var session = new PendingIoSession(device, new PendingIoOptions { Capacity = 32, BufferBytes = 8 * Page });
        using var stream = new ReadStream(session, new CyclicSource(8), new ReadStreamOptions());
        WalkNoWait(stream, session, 1000);

        Assert.That(Allocations.OfThread(() => WalkNoWait(stream, session, 100_000)), Is.Zero);
    }

    private static void Walk(ReadStream stream, int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (!stream.TryGetNext(out _))
                throw new InvalidOperationException("The source has no end.");
        }
    }

    private static void WalkNoWait(ReadStream stream, PendingIoSession session, int count)
    {
        while (count > 0)
        {
            if (stream.TryGetNextNoWait(out _) == ReadStatus.Buffer)
                count--;
            else
                session.Drain(TimeSpan.Zero);
        }
    }

    private static void Bursts(ReadStream stream, int count)
    {
        for (int i = 0; i < count; i++)
        {
            while (stream.TryGetNext(out _))
            {
            }

            if (i % 2 == 0)
                stream.Resume();
            else
                stream.Reset(keepDistance: true);
        }
    }

    private static LocalMemoryDevice Open() => new(PatternFile.Bytes(128 * Page), new LocalMemoryOptions(), NullLogger.Instance);

    /// <summary>Reads the file in an endless circle; pauses after every burst, if there are bursts.</summary>
    private sealed class CyclicSource(int stride) : IReadSource
    {
        private long _next;
        private int _left = int.MaxValue;

        public int? Burst { get; init; }

        public ReadStep Next(out ReadRange range)
        {
            range = new ReadRange(0, _next % 128 * Page, Page, _next);
            if (Burst is { } burst && --_left is < 0 or > 1_000_000)
            {
                _left = burst;
                return ReadStep.Pause;
            }

            _next += stride;
            return ReadStep.Read;
        }

        public void Verify(in ReadBuffer buffer)
        {
            if (buffer.Bytes[7] != PatternFile.ByteAt(buffer.Range.Offset + 7))
                throw new InvalidOperationException($"Other bytes at {buffer.Range}.");
        }

        public Exception Explain(in ReadRange range, Exception error) => error;
    }
}
