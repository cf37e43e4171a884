using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults.Gets;

namespace VectorPipe.Tests.Faults.RunThreads;

/// <summary>A failure while run threads and runners are made leaves no queue, thread or file behind.</summary>
[TestFixture]
internal sealed class WorkerFailureTests
{
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = GetUnderTest.Build();

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void A_runner_that_fails_to_start_closes_its_queue([Values(0, 1, 3)] int failAt)
    {
        using VectorIndex index = _test.Open(DeviceKind.Portable);
        var failing = new FailingIndex((GraphIndex)index.Contents) { FailAt = failAt };
        Assert.That(() => new SearchRunner(failing, 4).Open(), Throws.TypeOf<InsufficientMemoryException>());
        Assert.That(index.Dispose, Throws.Nothing, "no queue is open");
    }

    [Test]
    public void A_runner_that_fails_to_start_fails_its_requests_and_the_next_one_serves() => Watchdog.Run("runner", () =>
    {
        using VectorIndex index = _test.Open(DeviceKind.Portable);
        var failing = new FailingIndex((GraphIndex)index.Contents) { FailAt = 1 };
        var completion = new CountingCompletion();
        using (var workers = new SearchLanes(failing, new SearchLanesOptions { Threads = 2, QueriesInFlight = 4 }, NullLogger.Instance))
        {
            workers.Post(Lookup(completion));
            completion.WaitFor(1);
            Assert.That(completion.Error, Is.TypeOf<DeviceException>().With.InnerException.TypeOf<InsufficientMemoryException>());
            failing.FailAt = -1;
            workers.Post(Lookup(completion));
            completion.WaitFor(2);
            Assert.That(completion.Failures, Is.EqualTo(1));
        }

        Assert.That(index.Dispose, Throws.Nothing, "no queue is open");
    });

    [Test]
    public void Started_threads_end_if_another_cannot_start_and_a_later_request_tries_again(
        [Values(0, 1, 2)] int failAt) => Watchdog.Run("threads", () =>
    {
        using VectorIndex index = _test.Open(DeviceKind.Portable);
        var completion = new CountingCompletion();
        List<Thread> started = [];
        bool fails = true;
        var options = new SearchLanesOptions
        {
            Threads = 3,
            StartThread = thread =>
            {
                if (fails && started.Count == failAt)
                    throw new InsufficientMemoryException("no thread");
                thread.Start();
                started.Add(thread);
            },
        };
        using var workers = new SearchLanes(index.Contents, options, NullLogger.Instance);
        for (int attempt = 0; attempt < 3; attempt++)
        {
            Assert.That(() => workers.Post(Lookup(completion)), Throws.TypeOf<InsufficientMemoryException>());
            Assert.That(started, Has.Count.EqualTo(failAt));
            Assert.That(started.Count(thread => thread.IsAlive), Is.Zero);
            Assert.That((workers.Lanes.Count, workers.Waiting), Is.EqualTo((0, 0)));
            started.Clear();
        }

        fails = false;
        workers.Post(Lookup(completion));
        completion.WaitFor(1);
        Assert.That((started.Count, completion.Failures), Is.EqualTo((3, 0)));
        workers.Dispose();
        Assert.That(started.Count(thread => thread.IsAlive), Is.Zero);
    });

    [Test]
    public void A_logger_that_throws_does_not_end_a_run_thread() => Watchdog.Run("logger", () =>
    {
        FaultDevice device = null!;
        using VectorIndex index = VectorIndex.Open(_test.Directory, new OpenOptions(), (paths, _, _) => device =
            new FaultDevice(new SimulatedDevice(paths, seed: 1)));
        var completion = new CountingCompletion();
        using var logger = new ThrowingLogger();
        using var workers = new SearchLanes(index.Contents, new SearchLanesOptions { QueriesInFlight = 2 }, logger);
        device.Plan = new FaultPlan { OnOpen = static () => throw new DeviceException("made to fail", Errno.ENXIO) };
        workers.Post(Lookup(completion));
        completion.WaitFor(1);
        device.Plan = new FaultPlan { OnClose = static () => throw new DeviceException("made to fail", Errno.ENXIO) };
        workers.Post(Lookup(completion));
        completion.WaitFor(2);
        workers.Dispose();
        Assert.That((completion.Failures, workers.Lanes[0].LogFailures),
            Is.EqualTo((1, 2)), "one for the failure to open, one for the failure to close");
        device.Plan = new FaultPlan();
    });

    [Test]
    public void A_logger_that_throws_while_an_index_is_opened_leaves_no_file_open()
    {
        int before = PipelineHealth.OpenDescriptors(_test.Directory);

        // The last message of an opening: the cost of a read.
        using var logger = new ThrowingLogger(static (_, message, _) => message.Id == 105);
        var options = new OpenOptions { LoggerFactory = logger, ReadCostUs = 10 };
        Assert.That(() => VectorIndex.Open(_test.Directory, options), Throws.TypeOf<AggregateException>());
        Assert.That(PipelineHealth.OpenDescriptors(_test.Directory), Is.EqualTo(before));
    }

    [TestCase(1, 25)]
    [TestCase(1, 100, Category = "Heavy")]
    [TestCase(2, 100, Category = "Heavy")]
    [TestCase(3, 100, Category = "Heavy")]
    public void Every_request_ends_at_any_time_of_disposal(int seed, int rounds) => Watchdog.Run($"seed {seed}", () =>
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        var random = new Random(seed);
        for (int round = 0; round < rounds; round++)
        {
            var completion = new CountingCompletion();
            var workers =
                new SearchLanes(index.Contents, new SearchLanesOptions { Threads = 2, QueriesInFlight = 1 }, NullLogger.Instance);
            int posted = 0;
            var poster = new Thread(() =>
            {
                try
                {
                    while (true)
                    {
                        workers.Post(Lookup(completion));
                        posted++;
                    }
                }
                catch (Exception e) when (e is ObjectDisposedException or SearchOverloadedException)
                {
                    // The threads are disposed of, or have not taken all requests.
                }
            });
            poster.Start();
            Thread.SpinWait(random.Next(20_000));
            workers.Dispose();
            poster.Join();
            completion.WaitFor(posted);
            Assert.That((completion.Failures, workers.Waiting), Is.EqualTo((0, 0)), $"seed {seed}, round {round}");
        }
    });

    private static LookupRequest Lookup(IRequestCompletion completion)
    {
        var request = new LookupRequest(completion);
        request.Ask(1, withLinks: false, acceptedAt: 0, CancellationToken.None);
        return request;
    }

    /// <summary>An index whose n-th query slot cannot be made. It shares all with another; no test disposes it.</summary>
    private sealed class FailingIndex : GraphIndex
    {
        private int _made;

        public FailingIndex(GraphIndex index)
            : base(index.Manifest, index.Directory, index.CodeBook, index.Codes, index.Device)
        {
            Reads = index.Reads;
            PageGraph = index.PageGraph;
            Entries = index.Entries;
        }

        public int FailAt { get; set; }

        public override QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight) =>
            _made++ % 4 == FailAt ? throw new InsufficientMemoryException("no slot") : base.CreateQuery(session, queriesInFlight);
    }
}
