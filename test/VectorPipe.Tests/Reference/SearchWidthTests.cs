using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Search;
using VectorPipe.Reference.Searching;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults.Searches;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Reference;

/// <summary>Whole searches with every policy of the width.</summary>
[TestFixture(IndexLayout.Merged)]
[TestFixture(IndexLayout.Plain)]
internal sealed class SearchWidthTests(IndexLayout layout)
{
    private const int K = 10;
    private const int Queries = 40;

    // So many results that the small index takes several rounds of reads.
    private const int Many = 100;
    private TestIndex _test = null!;
    private byte[] _queries = [];

    [OneTimeSetUp]
    public async Task Build()
    {
        _test = TestIndex.Build(count: 1500, dimension: 128, layout: layout);

        // A build calibrates the merged layout; searches by gain need the same of the plain one.
        if (layout == IndexLayout.Plain)
            await VectorIndex.CalibrateAsync(_test.Directory, 100);
        _queries = _test.MakeQueries(Queries);
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    [Spread(4)]
    public void A_list_of_all_finds_exactly_the_true_neighbours(
        [Values] SearchWidth width, [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        using VectorIndex index = Open(seed: 1);
        using SearchSession session = index.OpenSession();
        (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(
            session, _test, _queries, K, new ReferenceSearch
            {
                Policy = SearchPolicy.List,
                ListSize = _test.Count,
                Width = width,
                Mode = mode
            });
        Assert.That(TypedSearch.Recall(_test, _queries, K, hits, statistics), Is.EqualTo(1.0));
    }

    [Test]
    [Spread(2)]
    public void A_query_never_has_more_reads_in_flight_than_its_bound(
        [Values] SearchWidth width, [Values] SearchPolicy policy, [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode,
        [Values(1, 12)] int most)
    {
        using VectorIndex index = Open(seed: 2);
        using SearchSession session = index.OpenSession();
        var options = new ReferenceSearch { Policy = policy, BeamWidth = most, Width = width, Mode = mode };
        int widest = 0;
        for (int query = 0; query < 8; query++)
        {
            var trace = new SearchTrace();
            TypedSearch.Search(session, _test, Row(query), K, options with { Trace = trace });
            int first = trace.Events.TakeWhile(e => e.Kind != SearchTraceKind.Wait).Count(e => e.Kind == SearchTraceKind.Submit);
            Assert.That(
                first, Is.LessThanOrEqualTo(width == SearchWidth.Fixed ? most : 4), $"reads of query {query} before the first arrival");
            widest = Math.Max(widest, trace.Events.Where(e => e.Kind == SearchTraceKind.Submit).Max(e => e.Count));
        }

        Assert.That(widest, Is.LessThanOrEqualTo(most));
    }

    [Test]
    [Spread(2)]
    public void A_beam_of_any_width_answers_the_same_under_any_schedule([Values] SearchWidth width, [Values] SearchPolicy policy)
    {
        var options = new ReferenceSearch { Policy = policy, Width = width, Mode = SearchMode.Beam };
        (SearchHit[] expected, SearchStatistics[] costs) = Run(1, options);
        for (int seed = 2; seed < 4; seed++)
        {
            (SearchHit[] hits, SearchStatistics[] statistics) = Run(seed, options);
            SearchUnderTest.AssertEqual($"seed {seed}", expected, hits);
            Assert.That(statistics.Select(s => (s.Reads, s.Hops)), Is.EqualTo(costs.Select(s => (s.Reads, s.Hops))), $"seed {seed}");
        }
    }

    [Test]
    public void A_growing_width_takes_fewer_rounds_than_a_width_of_4_and_fewer_reads_than_one_of_16(
        [Values(SearchWidth.Adaptive, SearchWidth.Position)] SearchWidth width)
    {
        var options = new ReferenceSearch { ListSize = 60, Mode = SearchMode.Beam };
        SearchStatistics[] narrow = Run(1, options).Costs, wide = Run(1, options with { BeamWidth = 16 }).Costs,
            grown = Run(1, options with { Width = width }).Costs;
        foreach (SearchStatistics[] costs in new[] { narrow, grown, wide })
            TestContext.Out.WriteLine($"{costs.Average(s => s.Reads):F2} reads, {costs.Average(s => s.Rounds):F2} rounds");
        Assert.That(grown.Sum(s => s.Rounds), Is.LessThan(narrow.Sum(s => s.Rounds)), "rounds");
        Assert.That(grown.Sum(s => s.Reads), Is.LessThan(wide.Sum(s => s.Reads)), "reads");
    }

    [Test]
    public void A_doubling_width_by_gain_takes_fewer_rounds_than_4_and_fewer_reads_than_16()
    {
        var options = new ReferenceSearch { Threshold = 0.01f, Mode = SearchMode.Beam };
        SearchStatistics[] narrow = Run(1, options with { BeamWidth = 4 }, Many).Costs, wide =
            Run(1, options with { BeamWidth = 16 }, Many).Costs, doubling = Run(1, options, Many).Costs;
        foreach (SearchStatistics[] costs in new[] { narrow, doubling, wide })
            TestContext.Out.WriteLine($"{costs.Average(s => s.Reads):F2} reads, {costs.Average(s => s.Rounds):F2} rounds");
        Assert.That(doubling.Sum(s => s.Rounds), Is.LessThan(narrow.Sum(s => s.Rounds)), "rounds");
        Assert.That(doubling.Sum(s => s.Reads), Is.LessThan(wide.Sum(s => s.Reads)), "reads");
    }

    [Test]
    [Spread(4)]
    public void A_beam_that_waits_for_ops_answers_the_same(
        [Values] SearchPolicy policy, [Values(SearchWidth.Fixed, SearchWidth.Remaining)] SearchWidth width)
    {
        var options = new ReferenceSearch { Policy = policy, BeamWidth = 24, Width = width, Mode = SearchMode.Beam };
        options = policy == SearchPolicy.List ? options with { ListSize = Many } : options with { Threshold = 0.05f };

        // A single query has 32 ops, sixteen have 128.
        (SearchHit[] expected, SearchStatistics[] costs) = Run(1, options, Many, queriesInFlight: 1);
        for (int seed = 2; seed < 5; seed++)
        {
            (SearchHit[] hits, SearchStatistics[] statistics) = Run(seed, options, Many, queriesInFlight: 16);
            SearchUnderTest.AssertEqual($"seed {seed}", expected, hits);
            Assert.That(
                statistics.Select(s => (s.Reads, s.Hops, s.Rounds)), Is.EqualTo(costs.Select(s => (s.Reads, s.Hops, s.Rounds))),
                $"seed {seed}");
        }
    }

    private (SearchHit[] Hits, SearchStatistics[] Costs) Run(int seed, SearchOptions options, int k = K, int queriesInFlight = 4)
    {
        using VectorIndex index = Open(seed, queriesInFlight);
        using SearchSession session = index.OpenSession();
        return TypedSearch.Search(session, _test, _queries, k, options);
    }

    private byte[] Row(int query) => _queries[(query * _test.RowBytes)..((query + 1) * _test.RowBytes)];

    private VectorIndex Open(int seed, int queriesInFlight = 4) =>
        VectorIndex.Open(
            _test.Directory, new OpenOptions { QueriesInFlight = queriesInFlight }, (paths, _, _) => new SimulatedDevice(paths, seed));
}
