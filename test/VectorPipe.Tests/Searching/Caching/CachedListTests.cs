using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;
using VectorPipe.Searching.Requests;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Searching.Caching;

/// <summary>The origin of the pages of lists changes the cost of a search, never its answer.</summary>
[TestFixture(0)]
[TestFixture(16)]
internal sealed class CachedListTests(int codeBytes)
{
    private const int Queries = 30;
    private const int K = 10;
    private const int Seed = 5;
    private const int Page = 4200;
    private const long Resident = 1L << 30;

    /// <summary>Cache budgets: one page, a few that evict each other, some (all codes if coded), all.</summary>
    private static readonly long[] _budgets = [Page, 3 * Page, 40 * Page, Resident];

    private TestIndex _test = null!;
    private byte[] _queries = [];

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.BuildLists(count: 3000, dimension: 128, codeBytes: codeBytes);
        _queries = _test.MakeQueries(Queries);
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    [Spread]
    public void Answers_are_the_same_with_any_cache_and_every_page_is_a_hit_or_a_read(
        [Values] CachePolicy policy, [ValueSource(nameof(_budgets))] long budget, [Values(3, 12)] int probes)
    {
        var options = new SearchOptions { Ivf = new IvfSearch { Probes = probes } };
        using VectorIndex uncached = Open(policy, 0);
        SearchHit[] expected = Search(uncached, options, out SearchStatistics[] costs);
        using VectorIndex cached = Open(policy, budget);
        CacheStatistics before = cached.CacheStatistics;

        // Once more: the second search finds pages that an adaptive cache kept from the first.
        for (int round = 0; round < 2; round++)
            Assert.That(Search(cached, options, out _), Is.EqualTo(expected));
        Search(cached, options, out SearchStatistics[] cachedCosts);
        CacheStatistics after = cached.CacheStatistics;
        using (Assert.EnterMultipleScope())
        {
            Assert.That(cachedCosts.Select(Work), Is.EqualTo(costs.Select(Work)), "lists, pages and distances");
            Assert.That(after.Bytes, Is.LessThanOrEqualTo(budget));
            Assert.That(after.Pages, Is.GreaterThan(0));
            Assert.That(after.IsResident, Is.EqualTo(budget == Resident));
            Assert.That(after.Hits > before.Hits || budget == Page, Is.True, "a single page may have no hit");
            Assert.That(cachedCosts.Sum(cost => (long)cost.Reads) == 0, Is.EqualTo(budget == Resident));
        }
    }

    [Test]
    public void Hits_and_reads_of_queries_equal_the_counts_of_the_cache([Values] CachePolicy policy)
    {
        using VectorIndex index = Open(policy, 40 * Page);
        Search(index, new SearchOptions { Ivf = new IvfSearch { Probes = 8 } }, out SearchStatistics[] costs);
        CacheStatistics totals = index.CacheStatistics;
        using (Assert.EnterMultipleScope())
        {
            Assert.That(totals.Hits, Is.EqualTo(costs.Sum(cost => (long)cost.CacheHits)));

            // All codes of coded lists are in memory; the rest of the budget may be too little for a cache of the vectors.
            Assert.That(totals.Misses, Is.LessThanOrEqualTo(costs.Sum(cost => (long)cost.PagesRead)));
            Assert.That(codeBytes > 0 || totals.Misses == costs.Sum(cost => (long)cost.PagesRead), Is.True);
            Assert.That(costs.Sum(cost => cost.BytesRead), Is.EqualTo(costs.Sum(cost => (long)cost.PagesRead) * 4096));
        }
    }

    [Test]
    public void The_cache_holds_the_scanned_file_before_the_ranked_vectors()
    {
        string scanned = codeBytes > 0 ? "codes-000001.vp" : "nodes-000001.vp";
        using VectorIndex index = Open(CachePolicy.Static, new FileInfo(Path.Combine(_test.Directory, scanned)).Length);
        Search(index, new SearchOptions { Ivf = new IvfSearch { Probes = 8 } }, out SearchStatistics[] costs);
        Assert.That(
            costs.Select(cost => cost.BytesRead), Is.All.LessThanOrEqualTo(codeBytes > 0 ? 64 * 4096 : 0),
            "queries read the pages of the vectors that they rank, and no others");
        Assert.That(index.CacheStatistics.Misses, Is.Zero);
    }

    [Test]
    public void A_resident_index_never_reads_again()
    {
        FaultDevice? device = null;
        using VectorIndex index = VectorIndex.Open(
            _test.Directory, new OpenOptions { CacheBytes = Resident },
            (paths, _, _) => device = new FaultDevice(new SimulatedDevice(paths, Seed)));
        device!.Plan = FaultPlan.From(0, new Fault(FaultKind.Errno, Errno.EIO));
        Search(
            index, new SearchOptions { Ivf = new IvfSearch { Probes = 40 }, Tuning = new WalkTuning { BoundFactor = 0.1f } },
            out SearchStatistics[] costs);
        Assert.That(costs.Sum(cost => cost.Reads + cost.PagesRead + cost.BytesRead), Is.Zero);
        Assert.That(index.CacheStatistics.HitRate, Is.EqualTo(1));
    }

    [Test]
    [Spread(2)]
    public void A_fault_at_any_read_ends_the_opening_and_leaves_nothing_open(
        [Values(FaultKind.Errno, FaultKind.Zero, FaultKind.Corrupt)] FaultKind kind, [Values(40 * Page, Resident)] long budget)
    {
        FaultDevice? counted = null;
        VectorIndex.Open(
            _test.Directory, new OpenOptions { CacheBytes = budget },
            (paths, _, _) => counted = new FaultDevice(new SimulatedDevice(paths, Seed))).Dispose();
        long reads = counted!.Plan.Reads;
        foreach (long k in new[] { 0, reads / 2, reads - 1 }.Distinct())
        {
            FaultDevice? device = null;
            Assert.That(
                () => VectorIndex.Open(
                    _test.Directory,
                    new OpenOptions { CacheBytes = budget },
                    (paths, _, _) =>
                    device = new FaultDevice(new SimulatedDevice(paths, Seed))
                    {
                        Plan = FaultPlan.At(
                        k, new Fault(kind, kind == FaultKind.Errno ? Errno.EIO : 12_345))
                    }),
                kind == FaultKind.Corrupt ? Throws.TypeOf<IndexCorruptException>() : Throws.TypeOf<DeviceException>(),
                $"{kind} at read {k} of {reads}");
            Assert.That(() => device!.Dispose(), Throws.Nothing, "a simulated device refuses to close while a queue is open");
        }
    }

    [Test]
    public void The_static_cache_holds_pages_that_similar_queries_want()
    {
        using VectorIndex index = Open(CachePolicy.Static, 40 * Page);
        Search(index, new SearchOptions { Ivf = new IvfSearch { Probes = 4 } }, out _);
        IndexFileInfo scanned = index.Info.Files.Single(file => file.Role == (codeBytes > 0 ? "Codes" : "Nodes"));
        double share = Math.Min(1, 40.0 / scanned.PageCount);
        Assert.That(
            index.CacheStatistics.HitRate, Is.GreaterThan(codeBytes > 0 ? 0.3 : 1.1 * share),
            $"the cache holds {share:P1} of the scanned pages");
    }

    [Test]
    [Spread(2)]
    public void Sessions_that_evict_each_others_pages_answer_as_alone([Values(1, 4, 24)] int pages)
    {
        int seed = Environment.TickCount;
        var options = new SearchOptions { Ivf = new IvfSearch { Probes = 8 } };
        using VectorIndex alone = Open(CachePolicy.Adaptive, 0);
        SearchHit[] expected = Search(alone, options, out _);
        using VectorIndex shared = VectorIndex.Open(
            _test.Directory, new OpenOptions { QueriesInFlight = 4, CachePolicy = CachePolicy.Adaptive, CacheBytes = pages * 4128 });
        Task[] tasks =
            [.. Enumerable.Range(0, 6).Select(number => Task.Factory.StartNew(() => Run(number), TaskCreationOptions.LongRunning))];
        Task.WaitAll(tasks);
        Assert.That(shared.CacheStatistics.Evictions, Is.GreaterThan(0));

        void Run(int number)
        {
            using SearchSession session = shared.OpenSession();
            var random = new Random(seed + number);
            var hits = new SearchHit[K];
            for (int i = 0; i < 60; i++)
            {
                int row = random.Next(Queries);
                session.Search<byte>(_queries.AsSpan(row * _test.RowBytes, _test.RowBytes), K, hits, options);
                if (!hits.AsSpan().SequenceEqual(expected.AsSpan(row * K, K)))
                    Assert.Fail($"seed {seed}, session {number}, step {i}, query {row}: found {string.Join(", ", hits)}");
            }
        }
    }

    [Test]
    public void Look_ups_use_cached_pages_of_searches()
    {
        using VectorIndex index = Open(CachePolicy.Adaptive, 400 * Page);
        using SearchSession session = index.OpenSession();
        byte[] vector = new byte[_test.RowBytes];
        Assert.That(session.TryGet<byte>(7, vector), Is.True);
        long hits = index.CacheStatistics.Hits;
        Assert.That(session.TryGet<byte>(7, vector), Is.True);
        Assert.That(index.CacheStatistics.Hits, codeBytes > 0 ? Is.GreaterThanOrEqualTo(hits) : Is.EqualTo(hits + 1));
        Assert.That(vector, Is.EqualTo(_test.Rows[(7 * _test.RowBytes)..(8 * _test.RowBytes)]));
    }

    private static (int Lists, int Pages, int Codes, int Exact) Work(SearchStatistics cost) =>
        (cost.Hops, cost.PagesScanned, cost.CodeDistances, cost.ExactDistances);

    private VectorIndex Open(CachePolicy policy, long budget) => VectorIndex.Open(
        _test.Directory, new OpenOptions
        {
            Device = new DeviceOptions { Kind = DeviceKind.Memory },
            QueriesInFlight = 4,
            CachePolicy = policy,
            CacheBytes = budget
        });

    private SearchHit[] Search(VectorIndex index, SearchOptions options, out SearchStatistics[] statistics)
    {
        var hits = new SearchHit[Queries * K];
        statistics = new SearchStatistics[Queries];
        using SearchSession session = index.OpenSession();
        session.SearchMany<byte>(_queries, K, hits, statistics, options);
        return hits;
    }
}
