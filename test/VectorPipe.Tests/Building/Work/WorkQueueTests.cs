using NUnit.Framework;
using VectorPipe.Building.Work;

namespace VectorPipe.Tests.Building.Work;

internal sealed class WorkQueueTests
{
    [Test]
    public void Every_item_is_done_once([Values(1, 2, 5)] int threads, [Values(0, 1, 4, 1000)] int items)
    {
        int[] done = new int[items];
        WorkQueue.Run(threads, items, () => new Scratch(), (_, item) => Interlocked.Increment(ref done[item]), CancellationToken.None);
        Assert.That(done, Has.All.EqualTo(1));
    }

    [Test]
    public void An_item_that_fails_stops_the_other_workers([Values(2, 4)] int threads)
    {
        const int items = 1000, failing = 10;
        int begun = 0;
        using var failed = new ManualResetEventSlim();
        using var never = new ManualResetEventSlim();
        var scratches = new Scratch[threads];
        int workers = 0;

        AggregateException? error = Assert.Throws<AggregateException>(() => WorkQueue.Run(
            threads,
            items,
            () => scratches[Interlocked.Increment(ref workers) - 1] = new Scratch { OnFailure = failed.Set },
            (scratch, item) =>
            {
                Interlocked.Increment(ref begun);
                if (item == failing)
                {
                    Assert.That(
                        SpinWait.SpinUntil(() => Volatile.Read(ref workers) > 1, HangBound.Patience), Is.True,
                        "another worker runs and can be stopped");
                    scratch.HasFailed = true;
                    throw new InvalidDataException("the item");
                }

                // The others are slow after the failing item, so that only its error can stop them, even if the processor is taken from its
                // thread for a second.
                if (item > failing)
                {
                    failed.Wait();
                    never.Wait(20);
                }
            },
            CancellationToken.None));

        Assert.That(error!.InnerExceptions, Has.One.TypeOf<InvalidDataException>());
        Assert.That(begun, Is.LessThan(items / 2), "the error stops the other workers");
        Assert.That(scratches.Take(workers).Select(scratch => scratch.Disposed), Has.All.EqualTo(1));
    }

    [Test]
    public void A_scratch_that_fails_stops_the_other_workers()
    {
        const int items = 1000;
        int begun = 0, workers = 0;
        using var failed = new ManualResetEventSlim();
        using var never = new ManualResetEventSlim();

        Assert.Throws<AggregateException>(() => WorkQueue.Run(
            2,
            items,
            () =>
            {
                if (Interlocked.Increment(ref workers) == 1)
                    return new Scratch();
                failed.Set();
                throw new InvalidDataException("the scratch");
            },
            (_, _) =>
            {
                Interlocked.Increment(ref begun);
                failed.Wait();
                never.Wait(10);
            },
            CancellationToken.None));

        Assert.That(begun, Is.LessThan(items / 2));
    }

    [Test]
    public void A_cancellation_ends_the_work([Values(1, 3)] int threads)
    {
        using var cancellation = new CancellationTokenSource();
        int begun = 0;
        Assert.That(
            () => WorkQueue.Run(
                threads,
                1000,
                () => new Scratch(),
                (_, _) =>
                {
                    if (Interlocked.Increment(ref begun) == 5)
                        cancellation.Cancel();
                },
                cancellation.Token),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(begun, Is.LessThan(1000));
    }

    private sealed class Scratch : IDisposable
    {
        public bool HasFailed { get; set; }

        public Action OnFailure { get; init; } = () => { };

        public int Disposed { get; private set; }

        public void Dispose()
        {
            Disposed++;
            if (HasFailed)
                OnFailure();
        }
    }
}
