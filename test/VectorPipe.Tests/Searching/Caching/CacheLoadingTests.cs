using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;
using VectorPipe.Opening;
using VectorPipe.Searching.Index;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Searching.Caching;

/// <summary>A failure to fill the cache ends the opening of an index, with a reason.</summary>
[TestFixture(CodeKind.Pq)]
[TestFixture(CodeKind.Opq, Category = "Heavy")]
internal sealed class CacheLoadingTests(CodeKind code)
{
    private const int Seed = 5;
    private const long Resident = 1L << 30;
    private const long Partial = 30 * 4200;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 1200, dimension: 256, code: code);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void A_resident_index_never_reads_again([Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        FaultDevice? device = null;
        using VectorIndex index = VectorIndex.Open(
            _test.Directory, new OpenOptions { CacheBytes = Resident },
            (paths, _, _) => device = new FaultDevice(new SimulatedDevice(paths, Seed)));
        device!.Plan = FaultPlan.From(0, new Fault(FaultKind.Errno, Errno.EIO));
        using SearchSession session = index.OpenSession();
        var statistics = new SearchStatistics[50];
        session.SearchMany<byte>(
            _test.MakeQueries(50), 10, new SearchHit[500], statistics,
            new SearchOptions { Graph = new GraphSearch { ListSize = 100 }, Mode = mode });
        using (Assert.EnterMultipleScope())
        {
            Assert.That(session.DeviceReads, Is.Zero);
            Assert.That(statistics.Sum(cost => cost.Reads + cost.Rounds + cost.BytesRead), Is.Zero);
            Assert.That(
                index.CacheStatistics, Has.Property("IsResident").True.And.Property("Misses").Zero.And.Property("HitRate").EqualTo(1.0));
        }
    }

    [Test]
    public void The_budget_of_the_node_file_makes_an_index_resident_and_a_byte_less_does_not()
    {
        long length = new FileInfo(_test.NodeFile).Length;
        using VectorIndex all = VectorIndex.Open(_test.Directory, new OpenOptions { CacheBytes = length });
        using VectorIndex most = VectorIndex.Open(_test.Directory, new OpenOptions { CacheBytes = length - 1 });
        Assert.That((all.CacheStatistics.IsResident, most.CacheStatistics.IsResident), Is.EqualTo((true, false)));
    }

    [TestCase(35)]
    [TestCase(7, Category = "Heavy")]
    public void Every_damaged_page_is_found_while_a_resident_index_is_opened(int oneIn)
    {
        byte[] sound = File.ReadAllBytes(_test.NodeFile);
        try
        {
            for (int page = 1; page < sound.Length / 4096; page += oneIn)
            {
                byte[] damaged = (byte[])sound.Clone();
                damaged[(page * 4096) + 1000] ^= 4;
                File.WriteAllBytes(_test.NodeFile, damaged);
                Assert.That(
                    () => VectorIndex.Open(_test.Directory, new OpenOptions { CacheBytes = Resident }).Dispose(),
                    Throws.TypeOf<IndexCorruptException>().With.Message.Contains($"page {page}").And.Message.Contains(
                        Path.GetFileName(_test.NodeFile)));
            }
        }
        finally
        {
            File.WriteAllBytes(_test.NodeFile, sound);
        }
    }

    [Test]
    [Spread]
    public void A_fault_at_any_read_ends_the_opening_and_leaves_nothing_open(
        [Values(
            FaultKind.Errno, FaultKind.Zero, FaultKind.Corrupt, FaultKind.Lost)] FaultKind kind, [Values(Resident, Partial)] long budget)
    {
        long reads = ReadsOf(budget);
        foreach (long k in new[] { 0, reads / 2, reads - 1 }.Where(k => k < reads).Distinct())
        {
            Watchdog.Run($"{kind} at read {k} of {reads}", () =>
            {
                FaultDevice? device = null;
                Assert.That(
                    () =>
                    Open(
                        budget,
                        paths =>
                        device = new FaultDevice(new SimulatedDevice(paths, Seed))
                        {
                            Plan = FaultPlan.At(
                            k, new Fault(kind, kind == FaultKind.Errno ? Errno.EIO : 12_345))
                        },
                        readTimeout: kind == FaultKind.Lost ? TimeSpan.FromSeconds(1) : null),
                    kind == FaultKind.Corrupt ? Throws.TypeOf<IndexCorruptException>() : Throws.TypeOf<DeviceException>());
                Assert.That(() => device!.Dispose(), Throws.Nothing, "a simulated device refuses to close while a queue is open");
            });
        }
    }

    [Test]
    [Spread(2)]
    public void Short_and_late_reads_change_nothing(
        [Values(FaultKind.Short, FaultKind.Delay, FaultKind.Duplicate)] FaultKind kind, [Values(Resident, Partial)] long budget)
    {
        using SearchIndex index =
            Open(budget, paths => new FaultDevice(new SimulatedDevice(paths, Seed)) { Plan = FaultPlan.At(0, new Fault(kind, 1024)) });
        Assert.That(index.Cache!.Statistics.Pages, Is.GreaterThan(0));
    }

    // A resident index takes no sample: it has no warm-up.
    [TestCase("warm-up", Partial)]
    [TestCase("cache", Partial)]
    [TestCase("cache", Resident)]
    public void Loading_can_be_cancelled_at_any_phase(string phase, long budget)
    {
        using var cancelling = new CancellationTokenSource();
        SimulatedDevice? device = null;
        var progress = new Progress(step =>
        {
            if (step.Phase == phase)
                cancelling.Cancel();
        });
        Assert.That(
            () => Open(budget, paths => device = new SimulatedDevice(paths, Seed), progress, cancellationToken: cancelling.Token),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(() => device!.Dispose(), Throws.Nothing);
    }

    [Test]
    public void Progress_rises_to_the_total([Values(Resident, Partial)] long budget)
    {
        var steps = new List<BuildProgress>();
        using SearchIndex index = Open(budget, paths => new SimulatedDevice(paths, Seed), new Progress(steps.Add));
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                steps.Select(step => step.Phase).Distinct(), Is.EqualTo(budget == Resident ? new[] { "cache" } : ["warm-up", "cache"]));
            Assert.That(steps.Where(step => step.Phase == "cache").Select(step => step.Done), Is.Ordered);
            Assert.That((steps[^1].Done, steps[^1].Total), Is.EqualTo((index.Cache!.Statistics.Pages, index.Cache.Statistics.Pages)));
        }
    }

    [Test]
    public void The_static_cache_holds_pages_that_similar_queries_want()
    {
        using SearchIndex index = Open(Partial, paths => new SimulatedDevice(paths, Seed));
        using var session = new SearchSession(index, 4, static () => { });
        GraphSearch walk = index.Calibration is null ? new() { ListSize = 50 } : new() { Threshold = 0.1f };
        session.SearchMany<byte>(
            _test.MakeQueries(200), 10, new SearchHit[2000], [], new SearchOptions { Graph = walk, Mode = SearchMode.Beam });
        double share = (double)index.Cache!.Statistics.Pages / index.Layout.PageCount(index.Schema.Count);
        Assert.That(index.Cache.Statistics.HitRate, Is.GreaterThan(1.1 * share), $"the cache holds {share:P1} of all pages");
    }

    [Test]
    public void An_unknown_policy_is_refused() =>
        Assert.That(
            () => VectorIndex.Open(_test.Directory, new OpenOptions { CachePolicy = (CachePolicy)9 }),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains("CachePolicy"));

    private long ReadsOf(long budget)
    {
        FaultDevice? device = null;
        using SearchIndex index = Open(budget, paths => device = new FaultDevice(new SimulatedDevice(paths, Seed)));
        return device!.Plan.Reads;
    }

    private SearchIndex Open(
        long budget, Func<IReadOnlyList<string>, IDevice> open, IProgress<BuildProgress>? progress = null, TimeSpan? readTimeout = null,
        CancellationToken cancellationToken = default) => IndexLoader.Load(
        _test.Directory,
        new OpenOptions { CacheBytes = budget, Progress = progress, ReadTimeout = readTimeout ?? TimeSpan.FromSeconds(30) },
        NullLogger.Instance,
        cancellationToken,
        (paths, _, _) => open(paths));

    private sealed class Progress(Action<BuildProgress> onReport) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value) => onReport(value);
    }
}
