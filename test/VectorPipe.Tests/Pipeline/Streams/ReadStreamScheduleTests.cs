using NUnit.Framework;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Pipeline.Streams;

/// <summary>Compares random orders of calls on the simulated device with a list of the expected ranges.</summary>
public sealed class ReadStreamScheduleTests
{
    private const int Page = 512;
    private const int FilePages = 4096;

    private static readonly byte[] _file = PatternFile.Bytes(FilePages * Page);

    [Test]
    [Spread(4)]
    public void Every_order_of_calls_brings_the_ranges_in_order([Range(1, 200)] int seed)
    {
        var random = new Random(seed);
        using var device = new SimulatedDevice([_file], seed);
        using var session =
            new PendingIoSession(device, new PendingIoOptions { Capacity = random.Next(2, 40), BufferBytes = random.Next(1, 9) * Page });
        var source = new RandomSource(random);
        var options =
            new ReadStreamOptions { MaxReads = random.Next(0, 20), CombineLimit = random.Next(1, 9), StartsFull = random.Next(2) == 0 };
        using var stream = new ReadStream(session, source, options);
        for (int call = 0; call < 400; call++)
            Call(random, stream, session, source, options, seed);

        stream.Dispose();
        while (session.Pending > 0)
            session.Drain(TimeSpan.FromMilliseconds(1));
        Assert.That((session.Free, session.Kept), Is.EqualTo((session.Capacity, 0)), $"seed {seed}");
    }

    private static void Call(
        Random random, ReadStream stream, PendingIoSession session, RandomSource source, ReadStreamOptions options, int seed)
    {
        switch (random.Next(20))
        {
            case 0:
                stream.Pause();
                break;
            case 1 or 2 when stream.IsPaused:
                stream.Resume();
                break;
            case 3 when random.Next(4) == 0:
                stream.Reset(keepDistance: random.Next(2) == 0);
                source.Forget();
                break;
            case < 9:
                Take(stream.TryGetNextNoWait(out ReadBuffer found), found);
                session.Drain(TimeSpan.Zero);
                break;
            default:
                stream.TryGetNext(out ReadBuffer buffer);
                Take(stream.Status, buffer);
                break;
        }

        Assert.That(session.Pending + session.Kept, Is.LessThanOrEqualTo(Math.Max(1, options.MaxReads) + 1), $"seed {seed}");

        void Take(ReadStatus status, ReadBuffer buffer)
        {
            switch (status)
            {
                case ReadStatus.Buffer:
                    Assert.That(buffer.Range, Is.EqualTo(source.Expected.Dequeue()), $"seed {seed}");
                    break;
                case ReadStatus.Paused:
                    Assert.That(source.Expected, Is.Empty, $"seed {seed}: paused with ranges left");
                    stream.Resume();
                    break;
                case ReadStatus.End:
                    Assert.That(source.Expected, Is.Empty, $"seed {seed}: ended with ranges left");
                    stream.Reset(keepDistance: true);
                    break;
            }
        }
    }

    /// <summary>Runs of adjacent pages, with some jumps, pauses, yields or an end.</summary>
    private sealed class RandomSource(Random random) : IReadSource
    {
        private long _page;
        private long _number;

        /// <summary>Ranges that were requested and have not come.</summary>
        public Queue<ReadRange> Expected { get; } = new();

        public void Forget() => Expected.Clear();

        public ReadStep Next(out ReadRange range)
        {
            range = default;
            int choice = random.Next(40);
            if (choice < 3)
                return (ReadStep)(choice + 1);
            if (choice < 12)
                _page = random.Next(FilePages);
            range = new ReadRange(0, _page++ % FilePages * Page, Page, _number++);
            Expected.Enqueue(range);
            return ReadStep.Read;
        }

        public void Verify(in ReadBuffer buffer) =>
            Assert.That(buffer.Bytes.SequenceEqual(_file.AsSpan((int)buffer.Range.Offset, Page)), Is.True, $"bytes of {buffer.Range}");

        public Exception Explain(in ReadRange range, Exception error) => error;
    }
}
