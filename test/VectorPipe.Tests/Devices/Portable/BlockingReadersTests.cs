using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Devices.Portable;
using VectorPipe.Model.Errors;

namespace VectorPipe.Tests.Devices.Portable;

/// <summary>Threads that do the reads of a device: they come while reads wait, and then serve other devices.</summary>
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
    public void Threads_come_with_reads_and_leave_when_none_waits()
    {
        var threads = new HeldThreads();
        var readers = new BlockingReaders(_files, Most, threads.TryRun);
        readers.Reserve(8);
        Assert.That(readers.Threads, Is.Zero);
        using (var reads = new Reads(8))
        {
            reads.Start(readers, 8);
            Assert.That((readers.Threads, threads.Started), Is.EqualTo((1, 1)), "one thread for a queue that may need no more");
            threads.Release();
            reads.AssertAll(8);
        }

        AssertSoon(() => readers.Threads == 0);
        Assert.That(threads.Started, Is.InRange(2, Most), "reads that waited behind a read got threads of their own");
        Assert.That(readers.Stop());
    }

    [Test]
    public void Threads_that_rest_all_come_at_once()
    {
        var threads = new HeldThreads { Resting = 3 };
        var readers = new BlockingReaders(_files, Most, threads.TryRun);
        readers.Reserve(8);
        using (var reads = new Reads(8))
        {
            reads.Start(readers, 2);
            Assert.That((readers.Threads, threads.Started), Is.EqualTo((2, 0)), "no more than there are reads");
            threads.Release();
            reads.AssertAll(2);
        }

        AssertSoon(() => readers.Threads == 0);
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
            var readers = new BlockingReaders(
                _files, Most, (work, mayStart) => ReaderThreads.TryRun(
                    () =>
                    {
                        thread = Environment.CurrentManagedThreadId;
                        work();
                    },
                    mayStart));
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
        var readers = new BlockingReaders(_files, Most, (work, mayStart) =>
        {
            if (mayStart && Interlocked.Increment(ref starts) > 1)
                throw new InsufficientMemoryException("no more threads");
            return mayStart && ReaderThreads.TryRun(work, mayStart);
        });
        readers.Reserve(8);
        using (var reads = new Reads(8))
        {
            reads.Start(readers, 8);
            reads.AssertAll(8);
        }

        Assert.That(starts, Is.GreaterThan(1));
        AssertSoon(() => readers.Threads == 0);
        Assert.That(readers.Stop());
    }

    [Test]
    public void Reads_that_no_thread_can_serve_come_back_as_refused_and_later_ones_are_served()
    {
        bool isFull = true;
        var readers = new BlockingReaders(
            _files,
            Most,
            (work, mayStart) => isFull ? throw new InsufficientMemoryException("no threads") : ReaderThreads.TryRun(work, mayStart));
        readers.Reserve(4);
        using (var reads = new Reads(4))
        {
            reads.Start(readers, 4);
            reads.AssertAll(4, result: -Errno.EAGAIN);
            Assert.That(readers.Threads, Is.Zero);
            isFull = false;
            reads.Start(readers, 4);
            reads.AssertAll(4);
        }

        Assert.That(readers.Stop());
    }

    private static void AssertSoon(Func<bool> condition) => Assert.That(SpinWait.SpinUntil(condition, HangBound.Patience), Is.True);

    /// <summary>Threads that begin their work when they are released; some count as rested.</summary>
    private sealed class HeldThreads
    {
        private readonly TaskCompletionSource _released = new();
        private int _started;

        public int Resting { get; set; }

        public int Started => Volatile.Read(ref _started);

        public bool TryRun(Action work, bool mayStart)
        {
            if (Resting > 0)
                Resting--;
            else if (!mayStart)
                return false;
            else
                Interlocked.Increment(ref _started);
            return ReaderThreads.TryRun(
                () =>
                {
                    _released.Task.Wait();
                    work();
                },
                mayStart: true);
        }

        public void Release() => _released.SetResult();
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

        public void AssertAll(int count, int result = Block)
        {
            Assert.That(_asked, Is.Empty);
            Assert.That(_finished.Wait(count, HangBound.Patience), Is.True);
            for (int i = 0; i < count; i++)
            {
                Assert.That(_finished.TryPop(out DeviceRead? read), Is.True);
                Assert.That(read!.Result, Is.EqualTo(result));
                if (result < 0)
                    continue;
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
