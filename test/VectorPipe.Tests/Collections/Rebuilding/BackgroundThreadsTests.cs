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
    [Platform("Linux")]
    public async Task Urgent_work_has_the_priority_of_its_caller()
    {
        using var threads = new BackgroundThreads("test", 1, isUrgent: true);
        Assert.That(await threads.RunAsync(Nice), Is.EqualTo(Nice()));
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

    /// <remarks>A thread of the pool that they start would have the priority of the thread that queues them.</remarks>
    [Test]
    [Platform("Linux")]
    public async Task What_waits_for_a_result_is_queued_at_normal_priority()
    {
        using var begins = new ManualResetEventSlim();
        using var threads = new BackgroundThreads("test", 1);
        var queues = new PriorityOfQueuing();
        Func<int>[] works =
        [
            () => 7,
            () => throw new IOException("disk"),
            () => throw new OperationCanceledException(new CancellationToken(canceled: true)),
        ];
        foreach (Func<int> work in works)
        {
            begins.Reset();
            Task<int> result = threads.RunAsync(() =>
            {
                begins.Wait();
                return work();
            });
            Task after = result.ContinueWith(static task => task.Exception, CancellationToken.None, TaskContinuationOptions.None, queues);
            begins.Set();
            await after;
        }

        Assert.That(queues.Nices, Is.EqualTo(Enumerable.Repeat(Nice(), works.Length)));
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
    public async Task A_report_that_throws_fails_the_work_alone()
    {
        using var threads = new BackgroundThreads("test", 1);
        IProgress<int> progress = threads.Relay(new Reports { Last = 3 });
        int reported = 0;
        IOException? failure = await Assert.ThrowsAsync<IOException>(() => threads.RunAsync(() =>
        {
            for (; reported < 10; reported++)
                progress.Report(reported);
            return reported;
        }));
        Assert.That((failure!.Message, reported), Is.EqualTo(("report 3", 3)));
        Assert.That(await threads.RunAsync(() => 7), Is.EqualTo(7));
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

    // A continuation is queued by the thread that ends the task before it.
    private sealed class PriorityOfQueuing : TaskScheduler
    {
        public List<int> Nices { get; } = [];

        protected override void QueueTask(Task task)
        {
            Nices.Add(Nice());
            TryExecuteTask(task);
        }

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

        protected override IEnumerable<Task> GetScheduledTasks() => [];
    }

    // Without a context, Progress<T> would report on the pool, in any order.
    private sealed class Reports : IProgress<int>
    {
        public List<int> Values { get; } = [];

        public HashSet<int> Threads { get; } = [];

        public int Last { get; init; } = int.MaxValue;

        public void Report(int value)
        {
            Values.Add(value);
            Threads.Add(Environment.CurrentManagedThreadId);
            if (value == Last)
                throw new IOException($"report {value}");
        }
    }
}
