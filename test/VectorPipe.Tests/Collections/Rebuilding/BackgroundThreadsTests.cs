using NUnit.Framework;
using VectorPipe.Collections.Rebuilding;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics;

namespace VectorPipe.Tests.Collections.Rebuilding;

/// <summary>Work in the background gives way; what waits for it does not.</summary>
[TestFixture]
internal sealed class BackgroundThreadsTests
{
    [Test]
    public async Task Loops_and_tasks_run_on_its_threads_at_lower_priority()
    {
        var seen = new HashSet<(int Thread, int Nice)>();
        using (var threads = new BackgroundThreads("test", 3))
        {
            using var met = new Barrier(2);
            int own = await threads.RunAsync(() =>
            {
                // Two bodies that wait for each other need two threads.
                Parallel.For(0, 2, ParallelLoops.Options(2, CancellationToken.None), _ =>
                {
                    met.SignalAndWait();
                    Note();
                });
                Task.Factory.StartNew(Note, CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Current).Wait();
                return Environment.CurrentManagedThreadId;
            });
            Assert.That(seen.Select(thread => thread.Thread), Has.Member(own));
        }

        Assert.That(seen, Has.Count.InRange(2, 3));
        if (OperatingSystem.IsLinux())
            Assert.That(seen.Select(thread => thread.Nice), Has.All.EqualTo(Math.Max(Nice(), BackgroundPriority.Nice)));

        void Note()
        {
            lock (seen)
                seen.Add((Environment.CurrentManagedThreadId, OperatingSystem.IsLinux() ? Nice() : 0));
        }
    }

    [Test]
    public async Task A_single_thread_does_the_tasks_that_it_waits_for()
    {
        using var threads = new BackgroundThreads("test", 1);
        int sum = await threads.RunAsync(() =>
        {
            int total = 0;
            Parallel.For(1, 11, ParallelLoops.Options(4, CancellationToken.None), i => Interlocked.Add(ref total, i));
            Task<int>[] tasks =
            [
                .. Enumerable.Range(1, 5).Select(i => Task.Factory.StartNew(
                    () => i, CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskScheduler.Current)),
            ];
            return total + tasks.Sum(task => task.GetAwaiter().GetResult());
        });
        Assert.That(sum, Is.EqualTo(55 + 15));
    }

    [Test]
    [NonParallelizable]
    [Platform("Linux")]
    public async Task Threads_of_the_pool_that_its_results_start_have_the_normal_priority()
    {
        const int Results = 24;
        ThreadPool.GetMinThreads(out int workers, out int ports);
        var nices = new List<int>();
        using var all = new CountdownEvent(Results);
        using var begins = new ManualResetEventSlim();
        using var threads = new BackgroundThreads("test", 2);
        try
        {
            // Each continuation keeps its thread, so that others have to be started: at once, below the least number.
            ThreadPool.SetMinThreads(ThreadPool.ThreadCount + Results + 2, ports);
            Task[] results = [.. Enumerable.Range(0, Results).Select(ResultAsync)];
            begins.Set();
            await Task.WhenAll(results);
        }
        finally
        {
            ThreadPool.SetMinThreads(workers, ports);
        }

        Assert.That(nices, Has.All.EqualTo(Nice()));

        async Task ResultAsync(int number)
        {
            // Not before all are awaited: who finds a result goes on at once, on the thread of the test.
            await threads.RunAsync(() =>
            {
                begins.Wait();
                return number;
            }).ConfigureAwait(false);
            int nice = Nice();
            lock (nices)
                nices.Add(nice);
            all.Signal();
            all.Wait();
        }
    }

    [Test]
    public async Task Reports_come_in_order_and_before_the_result()
    {
        using var threads = new BackgroundThreads("test", 1);
        var reports = new Reports();
        IProgress<int> progress = threads.Relay(reports);
        int thread = await threads.RunAsync(() =>
        {
            for (int i = 0; i < 1000; i++)
                progress.Report(i);
            return Environment.CurrentManagedThreadId;
        });
        Assert.That(reports.Values, Is.EqualTo(Enumerable.Range(0, 1000)));
        Assert.That(reports.Threads, Has.Count.EqualTo(1).And.No.Member(thread));
    }

    [Test]
    public async Task Failures_and_cancellation_reach_the_caller_and_leave_the_threads_usable()
    {
        using var threads = new BackgroundThreads("test", 1);
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        IOException? failure = await Assert.ThrowsAsync<IOException>(() => threads.RunAsync<int>(() => throw new IOException("disk")));
        Assert.That(failure!.Message, Is.EqualTo("disk"));
        Task<int> stopped = threads.RunAsync<int>(() => throw new OperationCanceledException(cancelled.Token));
        OperationCanceledException? end = await Assert.CatchAsync<OperationCanceledException>(() => stopped);
        Assert.That((end!.CancellationToken, stopped.IsCanceled), Is.EqualTo((cancelled.Token, true)));
        Assert.That(await threads.RunAsync(() => 7), Is.EqualTo(7));
    }

    private static int Nice() => Libc.GetPriority(Libc.PRIO_PROCESS, 0);

    // Without a context, Progress<T> would report on the pool, in any order.
    private sealed class Reports : IProgress<int>
    {
        public List<int> Values { get; } = [];

        public HashSet<int> Threads { get; } = [];

        public void Report(int value)
        {
            Values.Add(value);
            Threads.Add(Environment.CurrentManagedThreadId);
        }
    }
}
