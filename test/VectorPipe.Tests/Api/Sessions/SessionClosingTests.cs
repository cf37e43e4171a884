using NUnit.Framework;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Api.Sessions;

/// <summary>Disposal of an index closes its sessions, busy or idle, and returns when the files are closed.</summary>
[TestFixture]
internal sealed class SessionClosingTests
{
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 300, dimension: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void Open_sessions_are_closed_and_say_so(
        [Values(TestDevice.Uring, TestDevice.Portable, TestDevice.Memory, TestDevice.MemoryRing)] TestDevice kind)
    {
        int before = PipelineHealth.OpenDescriptors(_test.Directory);
        VectorIndex index = _test.OpenOrIgnore(kind);
        SearchSession unused = index.OpenSession();
        SearchSession used = index.OpenSession();
        Search(used);
        index.Dispose();
        foreach (SearchSession session in (SearchSession[])[unused, used])
        {
            using (Assert.EnterMultipleScope())
            {
                Assert.That(() => Search(session), Throws.TypeOf<ObjectDisposedException>());
                Assert.That(() => session.TryGet<byte>(1, new byte[16]), Throws.TypeOf<ObjectDisposedException>());
                Assert.That(session.Dispose, Throws.Nothing);
            }
        }

        Assert.That(() => index.SearchAsync<byte>(Query(), 1), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(index.OpenSession, Throws.TypeOf<ObjectDisposedException>());
        Assert.That(PipelineHealth.OpenDescriptors(_test.Directory), Is.EqualTo(before));
    }

    [Test]
    public void A_session_of_another_thread_that_lives_is_closed(
        [Values(TestDevice.Uring, TestDevice.Portable, TestDevice.MemoryRing)] TestDevice kind) => Watchdog.Run("idle", () =>
    {
        int before = PipelineHealth.OpenDescriptors(_test.Directory);
        VectorIndex index = _test.OpenOrIgnore(kind);
        using var searched = new ManualResetEventSlim();
        using var closed = new ManualResetEventSlim();
        Exception? error = null;
        var owner = new Thread(() =>
        {
            SearchSession session = index.OpenSession();
            Search(session);
            searched.Set();
            closed.Wait();
            error = Assert.Catch(() => Search(session));
            session.Dispose();
        });
        owner.Start();
        searched.Wait();
        index.Dispose();
        Assert.That(PipelineHealth.OpenDescriptors(_test.Directory), Is.EqualTo(before), "the files are closed while the thread lives");
        closed.Set();
        owner.Join();
        Assert.That(error, Is.TypeOf<ObjectDisposedException>());
    });

    [Test]
    public void A_call_that_is_under_way_ends_and_the_disposal_waits_for_it([Values] bool isLookup) => Watchdog.Run("busy", () =>
    {
        FaultDevice device = null!;
        var options = new OpenOptions { ReadTimeout = TimeSpan.FromHours(1) };
        VectorIndex index =
            VectorIndex.Open(_test.Directory, options, (paths, _, _) => device = new FaultDevice(new SimulatedDevice(paths, seed: 1)));
        using var started = new ManualResetEventSlim();
        bool hasEnded = false;
        Exception? error = null;
        var owner = new Thread(() =>
        {
            SearchSession session = index.OpenSession();

            // No read ever lands: without the disposal the call lasts for an hour.
            device.Plan = new FaultPlan
            {
                OnRead = (_, _) =>
                {
                    started.Set();
                    return new Fault(FaultKind.Lost);
                },
            };
            error = Assert.Catch(() => _ = isLookup ? session.TryGet<byte>(1, new byte[16]) : Search(session));
            Volatile.Write(ref hasEnded, true);
        });
        owner.Start();
        started.Wait();
        index.Dispose();
        owner.Join();
        Assert.That(error, Is.TypeOf<ObjectDisposedException>());
        Assert.That(hasEnded, Is.True);
    });

    [Test]
    public void A_second_disposal_returns_when_the_first_has_finished() => Watchdog.Run("twice", () =>
    {
        using var entered = new ManualResetEventSlim();
        using var gate = new ManualResetEventSlim();
        FaultDevice device = null!;
        VectorIndex index = VectorIndex.Open(_test.Directory, new OpenOptions { SearchThreads = 1 }, (paths, _, _) => device =
            new FaultDevice(new SimulatedDevice(paths, seed: 1)));
        index.SearchAsync<byte>(Query(), 1).AsTask().GetAwaiter().GetResult();
        bool isClosed = false, wasClosed = false;
        device.Plan = new FaultPlan
        {
            OnClose = () =>
            {
                entered.Set();
                gate.Wait();
                Volatile.Write(ref isClosed, true);
            },
        };
        var first = new Thread(index.Dispose);
        var second = new Thread(() =>
        {
            index.Dispose();
            wasClosed = Volatile.Read(ref isClosed);
        });
        first.Start();
        entered.Wait();
        second.Start();
        Assert.That(
            SpinWait.SpinUntil(
                () => (second.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0, HangBound.Patience),
            Is.True);
        gate.Set();
        first.Join();
        second.Join();
        Assert.That(wasClosed, Is.True);
    });

    [TestCase(1, 3)]
    [TestCase(1, 8, Category = "Heavy")]
    [TestCase(2, 100, Category = "Heavy")]
    public void Disposal_from_many_threads_beside_searches_of_sessions_ends(int seed, int rounds) => Watchdog.Run($"seed {seed}", () =>
    {
        for (int round = 0; round < rounds; round++)
        {
            var random = new Random((seed * 1000) + round);
            VectorIndex index = _test.Open(DeviceKind.Portable);
            int disposeAt = random.Next(1, 40), calls = 0, refused = 0;
            Thread[] owners = [.. Enumerable.Range(0, 3).Select(_ => new Thread(() =>
            {
                try
                {
                    using SearchSession session = index.OpenSession();
                    while (true)
                    {
                        Search(session);
                        if (Interlocked.Increment(ref calls) == disposeAt)
                            ThreadPool.UnsafeQueueUserWorkItem(static state => ((VectorIndex)state!).Dispose(), index);
                    }
                }
                catch (ObjectDisposedException)
                {
                    Interlocked.Increment(ref refused);
                }
            }))];
            foreach (Thread owner in owners)
                owner.Start();
            foreach (Thread owner in owners)
                owner.Join();
            index.Dispose();
            Assert.That(refused, Is.EqualTo(3), $"seed {seed}, round {round}");
        }
    });

    private byte[] Query() => _test.Rows[.._test.RowBytes];

    private bool Search(SearchSession session) => session.Search<byte>(Query(), 1, new SearchHit[1]).Hits == 1;
}
