using System.Collections.Concurrent;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Devices.Portable;

namespace VectorPipe.Tests.Devices.Portable;

/// <summary>Threads that do the reads of a device: they come as they are needed, leave with its queues, and serve other devices.</summary>
[TestFixture]
[Alone]
internal sealed class BlockingReadersTests
{
    private const int Block = 4096, Blocks = 64, Most = 4;

    private PatternFile _pattern = null!;
    private DeviceFiles _files = null!;

    [OneTimeSetUp]
    public void Open()
    {
        _pattern = new PatternFile(Blocks * Block);
        _files = DeviceFiles.Open([_pattern.Path], NullLogger.Instance);
    }

    [OneTimeTearDown]
    public void Close()
    {
        _files.Dispose();
        _pattern.Dispose();
    }

    [Test]
    public void A_thread_is_there_before_the_first_read_and_leaves_with_the_last_queue()
    {
        var readers = new BlockingReaders(_files, Most, clock: new ManualTime());
        Assert.That(readers.Threads, Is.Zero);
        readers.Reserve(2);
        readers.Reserve(8);
        using (var reads = new Reads(8))
        {
            reads.Start(readers, 8);
            reads.AssertAll(8);
        }

        Assert.That(readers.Threads, Is.EqualTo(1), "no read has waited");
        readers.Release(8);
        readers.Release(2);
        AssertSoon(() => readers.Threads == 0);
        Assert.That(readers.Stop());
    }

    [Test]
    public void Threads_come_when_reads_wait_and_are_there_for_the_next_queue()
    {
        var readers = new BlockingReaders(_files, Most, clock: new ClockOfMilliseconds());
        readers.Reserve(8);
        Assert.That(readers.Threads, Is.EqualTo(1));
        using (var reads = new Reads(8))
        {
            AssertSoon(() =>
            {
                reads.Start(readers, 8);
                reads.AssertAll(8);
                return readers.Threads == Most;
            });
        }

        readers.Release(8);
        AssertSoon(() => readers.Threads == 0);
        readers.Reserve(2);
        Assert.That(readers.Threads, Is.EqualTo(2), "no more than there are reads");
        readers.Reserve(8);
        Assert.That(readers.Threads, Is.EqualTo(Most));
        Assert.That(readers.Stop());
    }

    [Test]
    public void Threads_come_one_at_a_time()
    {
        var begun = new ConcurrentQueue<Action>();
        var readers = new BlockingReaders(_files, Most, begun.Enqueue, new ClockOfMilliseconds());
        readers.Reserve(8);
        using (var reads = new Reads(8))
        {
            reads.Start(readers, 8);
            ReaderThreads.Run(begun.Single());
            reads.AssertAll(8);
        }

        AssertSoon(() => begun.Count == 2);
        Assert.That(readers.Threads, Is.EqualTo(2), "the second one has not begun");
        ReaderThreads.Run(begun.Last());
        Assert.That(readers.Stop());
    }

    [Test]
    public void A_thread_that_has_left_serves_the_next_device()
    {
        int first = ThreadOfNewReaders();
        AssertSoon(() => ReaderThreads.Resting is > 0 and <= ReaderThreads.MostResting);
        Assert.That(ThreadOfNewReaders(), Is.EqualTo(first));

        int ThreadOfNewReaders()
        {
            int resting = ReaderThreads.Resting, thread = 0;
            var readers = new BlockingReaders(_files, Most, work => ReaderThreads.Run(() =>
            {
                thread = Environment.CurrentManagedThreadId;
                work();
            }));
            readers.Reserve(1);
            using (var reads = new Reads(1))
            {
                reads.Start(readers, 1);
                reads.AssertAll(1);
            }

            readers.Release(1);
            Assert.That(readers.Stop());
            AssertSoon(() => ReaderThreads.Resting >= Math.Max(resting, 1));
            return thread;
        }
    }

    [Test]
    public void Queues_that_come_and_go_get_their_reads([Values(1, 2)] int seed)
    {
        var readers = new BlockingReaders(_files, Most);
        Parallel.For(0, 6, new ParallelOptions { MaxDegreeOfParallelism = 6 }, queue =>
        {
            var random = new Random((seed * 100) + queue);
            for (int round = 0; round < 60; round++)
            {
                int capacity = random.Next(1, 9);
                readers.Reserve(capacity);
                using (var reads = new Reads(capacity))
                {
                    for (int i = random.Next(4); i > 0; i--)
                    {
                        int count = random.Next(1, capacity + 1);
                        reads.Start(readers, count);
                        reads.AssertAll(count);
                    }
                }

                readers.Release(capacity);
            }
        });
        AssertSoon(() => readers.Threads == 0);
        Assert.That(readers.Stop());
    }

    [Test]
    public void Threads_that_cannot_start_leave_the_reads_to_those_that_could()
    {
        int starts = 0;
        Action first = () => { };
        var readers = new BlockingReaders(
            _files,
            Most,
            work =>
            {
                if (++starts > 1)
                    throw new InsufficientMemoryException("no more threads");
                first = work;
            },
            new ClockOfMilliseconds());
        readers.Reserve(8);
        using (var reads = new Reads(8))
        {
            reads.Start(readers, 8);
            ReaderThreads.Run(first);
            reads.AssertAll(8);
        }

        AssertSoon(() => readers.Threads == 1);
        readers.Reserve(8);
        Assert.That((starts, readers.Threads), Is.EqualTo((2, 1)), "it is not tried again");
        Assert.That(readers.Stop());
    }

    [Test]
    public void Readers_that_cannot_start_at_all_are_refused()
    {
        var readers = new BlockingReaders(_files, Most, static _ => throw new InsufficientMemoryException("no threads"));
        Assert.That(() => readers.Reserve(4), Throws.TypeOf<InsufficientMemoryException>());
        Assert.That(readers.Threads, Is.Zero);
        Assert.That(readers.Stop());
    }

    private static void AssertSoon(Func<bool> condition) => Assert.That(SpinWait.SpinUntil(condition, HangBound.Patience), Is.True);

    /// <summary>A clock that goes on by a millisecond whenever it is read: every read has waited.</summary>
    private sealed class ClockOfMilliseconds : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => 1000;

        public override long GetTimestamp() => Interlocked.Increment(ref _now);
    }

    /// <summary>Reads of a queue into buffers of its own.</summary>
    private sealed class Reads(int capacity) : IDisposable
    {
        private readonly NativeBuffer _buffer = new((nuint)(capacity * Block));
        private readonly CompletionRing _finished = new(capacity);
        private readonly Queue<DeviceRead> _asked = new(capacity);

        public void Start(BlockingReaders readers, int count)
        {
            for (int slot = 0; slot < count; slot++)
            {
                _asked.Enqueue(new TestRead(slot)
                {
                    Address = _buffer.Address + (slot * Block),
                    Offset = (slot * 7 + count) % Blocks * Block,
                    Length = Block,
                });
            }

            readers.Start(_asked, _finished);
        }

        public void AssertAll(int count)
        {
            Assert.That(_asked, Is.Empty);
            Assert.That(_finished.Wait(count, HangBound.Patience), Is.True);
            for (int i = 0; i < count; i++)
            {
                Assert.That(_finished.TryPop(out DeviceRead? read), Is.True);
                Assert.That(read!.Result, Is.EqualTo(Block));
                Span<byte> bytes = _buffer.Span((nuint)(read.Address - _buffer.Address), Block);
                Assert.That(bytes[17], Is.EqualTo(PatternFile.ByteAt(read.Offset + 17)));
                Assert.That(bytes[^1], Is.EqualTo(PatternFile.ByteAt(read.Offset + Block - 1)));
            }
        }

        public void Dispose()
        {
            _finished.Dispose();
            _buffer.Dispose();
        }
    }
}
