using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Open;
using VectorPipe.Reference.Searching;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Caching;

/// <summary>The origin of a page changes the cost of a search, never its answer.</summary>
[TestFixture(IndexLayout.Merged)]
[TestFixture(IndexLayout.Plain)]
internal sealed class CachedAnswerTests(IndexLayout layout)
{
    private const int Queries = 60;
    private const int K = 10;
    private const int Page = 4200;

    /// <summary>Room for so few pages that nearly each evicts another, for some pages, and for all.</summary>
    private static readonly long[] _budgets = [3 * Page, 30 * Page, 1L << 30];

    private TestIndex _test = null!;
    private byte[] _queries = [];

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: 1200, dimension: 64, layout: layout);
        _queries = _test.MakeQueries(Queries);
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    [Spread(2)]
    public void A_beam_finds_the_same_at_the_same_cost_in_pages(
        [Values] CachePolicy policy, [ValueSource(nameof(_budgets))] long budget, [Values(1, 8)] int width)
    {
        // A build does not calibrate a plain index, which is searched by list.
        ReferenceSearch options = new()
        {
            Mode = SearchMode.Beam,
            BeamWidth = width,
            ListSize = 40,
            Policy = layout == IndexLayout.Merged ? SearchPolicy.Gain : SearchPolicy.List
        };
        SearchHit[] expected, found;
        SearchStatistics[] costs, cachedCosts;
        using (VectorIndex index = Open(policy, 0))
            expected = Search(index, _queries, options, out costs);
        using (VectorIndex index = Open(policy, budget))
        {
            found = Search(index, _queries, options, out cachedCosts);
            Assert.That(index.CacheStatistics.Hits + index.CacheStatistics.Evictions, Is.GreaterThan(0), "the test needs a cache at work");
        }

        using (Assert.EnterMultipleScope())
        {
            Assert.That(found, Is.EqualTo(expected), "keys and scores, rank by rank");
            Assert.That(cachedCosts.Select(Work), Is.EqualTo(costs.Select(Work)), "pages and distances of each query");
        }
    }

    [Test]
    [Spread(2)]
    public void A_pipelined_search_that_visits_everything_finds_the_same(
        [Values] CachePolicy policy, [ValueSource(nameof(_budgets))] long budget)
    {
        // The pages of a pipelined search depend on the order of completions, unless it visits all.
        SearchOptions options = new() { Graph = new GraphSearch { ListSize = _test.Count }, Mode = SearchMode.Pipelined };
        SearchHit[] expected, found;
        using (VectorIndex index = Open(policy, 0))
            expected = Search(index, _queries, options, out _);
        using (VectorIndex index = Open(policy, budget))
            found = Search(index, _queries, options, out _);
        Assert.That(found, Is.EqualTo(expected));
    }

    [Test]
    [Spread(2)]
    public void Scores_are_the_same_under_every_metric(
        [Values] DistanceMetric metric, [Values] CachePolicy policy, [Values] bool isResident)
    {
        using TestIndex test = TestIndex.Build(metric, VectorElementType.Float32, count: 600, layout: layout);
        SearchOptions options = new() { Graph = new GraphSearch { ListSize = 40 }, Mode = SearchMode.Beam };
        float[] queries = System.Runtime.InteropServices.MemoryMarshal.Cast<byte, float>(test.MakeQueries(Queries)).ToArray();
        SearchHit[] expected = SearchAll(0), found = SearchAll(isResident ? 1L << 30 : 20 * Page);
        Assert.That(found, Is.EqualTo(expected));

        SearchHit[] SearchAll(long budget)
        {
            using VectorIndex index = VectorIndex.Open(test.Directory, Options(policy, budget));
            return Search(index, queries, options, out _);
        }
    }

    [Test]
    [Spread(2)]
    public void Every_key_leads_to_its_vector([Values] CachePolicy policy, [ValueSource(nameof(_budgets))] long budget)
    {
        using VectorIndex index = Open(policy, budget);
        using SearchSession session = index.OpenSession();
        ulong[] keys = [.. Enumerable.Range(0, _test.Count).Select(key => (ulong)key)];
        byte[] vectors = new byte[_test.Rows.Length];
        for (int pass = 0; pass < 2; pass++)
        {
            Assert.That(session.TryGetMany<byte>(keys, vectors, new bool[keys.Length]), Is.EqualTo(keys.Length));
            Assert.That(vectors.AsSpan().SequenceEqual(_test.Rows), Is.True);
        }
    }

    [Test]
    [Spread(2)]
    public void The_totals_are_the_sums_over_queries([Values] CachePolicy policy, [ValueSource(nameof(_budgets))] long budget)
    {
        using VectorIndex index = Open(policy, budget);
        Search(index, _queries, new SearchOptions { Graph = new GraphSearch { ListSize = 40 } }, out SearchStatistics[] costs);
        CacheStatistics totals = index.CacheStatistics;
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                (totals.Hits, totals.Misses), Is.EqualTo((costs.Sum(cost => (long)cost.CacheHits), costs.Sum(cost => (long)cost.Reads))));
            Assert.That(totals.Bytes, Is.LessThanOrEqualTo(budget));
            Assert.That(totals.Pages, Is.InRange(1, totals.Bytes / 4096));
            Assert.That(totals.IsResident, Is.EqualTo(budget == _budgets[^1]));
        }
    }

    [Test]
    public void An_index_without_a_budget_has_no_cache()
    {
        using VectorIndex index = Open(CachePolicy.Adaptive, 0);
        Search(index, _queries, SearchOptions.Default, out _);
        Assert.That(index.CacheStatistics, Is.EqualTo(default(CacheStatistics)));
    }

    private static (int Pages, int Hops, int Codes, int Exact) Work(SearchStatistics cost) =>
        (cost.Reads + cost.CacheHits, cost.Hops, cost.CodeDistances, cost.ExactDistances);

    private static OpenOptions Options(CachePolicy policy, long budget) =>
        new()
        {
            ReadCostUs =
        30,
            Device = new DeviceOptions { Kind = DeviceKind.Memory },
            QueriesInFlight = 4,
            CachePolicy = policy,
            CacheBytes = budget
        };

    private VectorIndex Open(CachePolicy policy, long budget) => VectorIndex.Open(_test.Directory, Options(policy, budget));

    private static SearchHit[] Search<T>(VectorIndex index, T[] queries, SearchOptions options, out SearchStatistics[] statistics)
        where T : unmanaged
    {
        var hits = new SearchHit[Queries * K];
        statistics = new SearchStatistics[Queries];
        using SearchSession session = index.OpenSession();
        session.SearchMany<T>(queries, K, hits, statistics, options);
        return hits;
    }
}
