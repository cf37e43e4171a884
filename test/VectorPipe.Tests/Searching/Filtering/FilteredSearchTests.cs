using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Filtering;

/// <summary>A search with a filter finds the nearest matches, all of them if they are fewer than k, and says why it ended.</summary>
[TestFixture(IndexForm.Merged)]
[TestFixture(IndexForm.WithRoom)]
[TestFixture(IndexForm.Plain)]
[TestFixture(IndexForm.Lists)]
[TestFixture(IndexForm.CodedLists)]
internal sealed class FilteredSearchTests(FilteredSearchTests.IndexForm form)
{
    private const int K = 10;
    private const int Rows = 4000;
    private const int Queries = 12;

    private TestIndex _test = null!;
    private VectorIndex _index = null!;
    private byte[] _queries = [];
    private float[][] _distances = [];

    internal enum IndexForm
    {
        Merged,
        WithRoom,
        Plain,
        Lists,
        CodedLists,
    }

    private bool IsGraph => form is IndexForm.Merged or IndexForm.WithRoom or IndexForm.Plain;

    private SearchMode[] Modes =>
        IsGraph ? [SearchMode.Pipelined, SearchMode.Beam, SearchMode.Exact] : [SearchMode.Pipelined, SearchMode.Exact];

    [OneTimeSetUp]
    public void Open()
    {
        _test = form switch
        {
            IndexForm.Merged => TestIndex.Build(count: Rows),
            IndexForm.WithRoom => TestIndex.Build(count: Rows, withRoom: true),
            IndexForm.Plain => TestIndex.Build(count: Rows, layout: IndexLayout.Plain),
            IndexForm.Lists => TestIndex.BuildLists(count: Rows),
            _ => TestIndex.BuildLists(count: Rows, codeBytes: 16),
        };
        _index = _test.Open(DeviceKind.Memory);
        _queries = _test.MakeQueries(Queries);
        _distances =
            [.. Enumerable.Range(0, Queries).Select(query => Enumerable.Range(0, Rows).Select(row => Measure(query, row)).ToArray())];
    }

    [OneTimeTearDown]
    public void Close()
    {
        _index.Dispose();
        _test.Dispose();
    }

    [Test]
    [Spread(2)]
    public void All_of_few_matches_are_found([Values(0, 1, K - 1, K)] int count, [Values(1, 2)] int seed)
    {
        bool[] selected = Random(count, seed);
        foreach (SearchMode mode in Modes)
        {
            (SearchHit[][] hits, SearchStatistics[] costs) = Search(selected, mode);
            for (int query = 0; query < Queries; query++)
                Assert.That(Scores(hits[query]), Is.EqualTo(Nearest(query, selected)), $"{mode}, query {query}");
            Assert.That(costs.Select(cost => cost.Matches), Is.All.EqualTo(count));
            Assert.That(costs.Select(cost => cost.EndedBy), Is.All.EqualTo(count < K ? SearchEnd.AllMatches : SearchEnd.Complete));
            if (count == 0)
                Assert.That(costs.Select(cost => (cost.Reads, cost.Strategy)), Is.All.EqualTo((0, FilterStrategy.Nothing)));
        }
    }

    [Test]
    [Spread(2)]
    public void The_nearest_of_many_matches_are_found([Values(K + 1, 40, 1200, 2400, 3600, Rows)] int count)
    {
        bool[] selected = Random(count, seed: 4);
        AssertNearest(selected, count == Rows ? "all" : $"{count} at random");
        if (IsGraph)
            Assert.That(Search(selected, SearchMode.Pipelined).Costs[0].Strategy, Is.EqualTo(StrategyFor(count)));
    }

    [Test]
    [Spread(3)]
    public void The_nearest_matches_are_found_where_the_query_is_not([Values(300, 2400, 3200)] int count)
    {
        for (int query = 0; query < 2; query++)
        {
            int[] byDistance = [.. Enumerable.Range(0, Rows).OrderByDescending(row => _distances[query][row])];
            bool[] selected = new bool[Rows];
            foreach (int row in byDistance[..count])
                selected[row] = true;
            AssertNearest(selected, $"the {count} farthest of query {query}");
        }
    }

    [Test]
    public void The_nearest_matches_of_one_page_are_found()
    {
        uint[] pages = PagesOfRows();
        foreach (uint page in (uint[])[0, 7, 31])
            AssertNearest([.. pages.Select(other => other == page)], $"page {page}");
    }

    [Test]
    public void The_nearest_matches_are_found_where_the_nearest_page_has_none_but_replicas()
    {
        int nearest = Enumerable.Range(0, Rows).MinBy(row => _distances[0][row]);
        uint[] pages = PagesOfRows();
        AssertNearest([.. pages.Select(page => page != pages[nearest])], "all but those of the nearest page");
    }

    [Test]
    [Spread(2)]
    public void What_is_in_memory_changes_no_answer([Values(500, 2400, 3600)] int count, [Values] bool isResident)
    {
        // The cost of a read tells how much is computed to save one.
        var options = new OpenOptions
        {
            Device = new DeviceOptions { Kind = DeviceKind.Memory },
            SearchThreads = 1,
            ExactUpTo = 0,
            ReadCostUs = 12.5,
        };
        using VectorIndex plain = VectorIndex.Open(_test.Directory, options);
        using VectorIndex cached = VectorIndex.Open(_test.Directory, options with { CacheBytes = isResident ? 1 << 30 : 1 << 18 });
        var search = new SearchOptions
        {
            Mode = IsGraph ? SearchMode.Beam : SearchMode.Pipelined,
            Keys = FilterOf(Random(count, seed: 8)),
            TargetRecall = 0.99f,
        };
        using SearchSession ofPlain = plain.OpenSession(), ofCached = cached.OpenSession();
        (SearchHit[] expected, SearchStatistics[] costs) = TypedSearch.Search(ofPlain, _test, _queries, K, search);
        (SearchHit[] found, SearchStatistics[] cachedCosts) = TypedSearch.Search(ofCached, _test, _queries, K, search);

        Assert.That(found, Is.EqualTo(expected));
        Assert.That(cachedCosts.Select(cost => cost.Strategy), Is.EqualTo(costs.Select(cost => cost.Strategy)));
        if (cached.CacheStatistics.IsResident)
            Assert.That(cachedCosts.Sum(cost => cost.Reads), Is.Zero);
    }

    [Test]
    public void A_filter_of_all_costs_nothing()
    {
        var options = new SearchOptions { Mode = IsGraph ? SearchMode.Beam : SearchMode.Pipelined };
        using SearchSession session = _index.OpenSession();
        (SearchHit[] expected, SearchStatistics[] costs) = TypedSearch.Search(session, _test, _queries, K, options);
        (SearchHit[] found, SearchStatistics[] filtered) = TypedSearch.Search(
            session, _test, _queries, K, options with { Keys = KeyFilter.Where(static _ => true) });

        Assert.That(found, Is.EqualTo(expected));
        Assert.That(
            filtered.Select(cost => (cost.PagesScanned, cost.CodeDistances, IsGraph ? cost.Reads : 0)),
            Is.EqualTo(costs.Select(cost => (cost.PagesScanned, cost.CodeDistances, IsGraph ? cost.Reads : 0))));
    }

    [Test]
    [Alone]
    public void A_second_search_allocates_nothing([Values(500, 2400, 3600)] int count)
    {
        var options = new SearchOptions { Keys = FilterOf(Random(count, seed: 5)) };
        var hits = new SearchHit[Queries * K];
        using SearchSession session = _index.OpenSession();
        session.SearchMany<byte>(_queries, K, hits, [], options);
        session.SearchMany<byte>(_queries, K, hits, [], options);

        Assert.That(Allocations.OfThread(() => session.SearchMany<byte>(_queries, K, hits, [], options)), Is.Zero);
    }

    [Test]
    public async Task Every_way_to_search_takes_a_filter()
    {
        var options = new SearchOptions { Keys = FilterOf(Random(5, seed: 6)) };
        SearchResult first = await _index.SearchAsync<byte>(_queries.AsSpan(0, _test.RowBytes), K, options);
        SearchResult again = await _index.SearchAsync<byte>(_queries.AsSpan(0, _test.RowBytes), K, options);
        var room = new SearchHit[K];
        SearchStatistics filled = await _index.SearchAsync<byte>(_queries.AsSpan(0, _test.RowBytes), room, options);
        SearchResult[] batch = await _index.SearchBatchAsync<byte>(_queries, K, options);

        Assert.That(first, Has.Count.EqualTo(5));
        Assert.That(again, Is.EqualTo(first));
        Assert.That(room[..filled.Hits], Is.EqualTo(first));
        Assert.That(batch[0], Is.EqualTo(first));
        Assert.That(batch.Select(result => result.Statistics.EndedBy), Is.All.EqualTo(SearchEnd.AllMatches));
    }

    private static bool[] Random(int count, int seed)
    {
        bool[] selected = new bool[Rows];
        selected.AsSpan(0, count).Fill(true);
        new Random(seed).Shuffle(selected);
        return selected;
    }

    private static KeyFilter FilterOf(bool[] selected) =>
        KeyFilter.Of([.. Enumerable.Range(0, Rows).Where(row => selected[row]).Select(row => (ulong)row)]);

    private static float[] Scores(SearchHit[] hits) => [.. hits.Select(hit => hit.Score)];

    private uint[] PagesOfRows()
    {
        var nodes = new uint?[Rows];
        using SearchSession session = _index.OpenSession();
        session.FindNodes([.. Enumerable.Range(0, Rows).Select(row => (ulong)row)], nodes, null, default);
        return [.. nodes.Select(node => node!.Value / (uint)_index.Info.NodesPerPage)];
    }

    private FilterStrategy StrategyFor(int count) =>
        count <= 2048 ? FilterStrategy.Codes
        : count == Rows || (count >= 0.7 * Rows && form != IndexForm.Plain) ? FilterStrategy.Walk : FilterStrategy.Cells;

    private void AssertNearest(bool[] selected, string which)
    {
        int wanted = Math.Min(K, selected.Count(isSelected => isSelected));
        foreach (SearchMode mode in Modes)
        {
            (SearchHit[][] hits, _) = Search(selected, mode);
            int found = 0;
            for (int query = 0; query < Queries; query++)
            {
                float[] nearest = Nearest(query, selected), scores = Scores(hits[query]);
                Assert.That(hits[query].All(hit => selected[hit.Key]), $"{which}, {mode}, query {query}");
                Assert.That(hits[query].Select(hit => hit.Key), Is.Unique);
                Assert.That(scores, Has.Length.EqualTo(wanted).And.Ordered, $"{which}, {mode}, query {query}");
                if (mode == SearchMode.Exact)
                    Assert.That(scores, Is.EqualTo(nearest), $"{which}, query {query}");
                found += scores.Count(score => score <= nearest[^1]);
            }

            // The calibration of so small an index says little.
            Assert.That(found / (double)(Queries * wanted), Is.GreaterThanOrEqualTo(IsGraph ? 0.85 : 0.75), $"{which}, {mode}");
        }
    }

    private (SearchHit[][] Hits, SearchStatistics[] Costs) Search(bool[] selected, SearchMode mode)
    {
        var options = new SearchOptions
        {
            Mode = mode,
            Keys = FilterOf(selected),
            TargetRecall = mode == SearchMode.Exact ? null : 0.99f,
        };
        using SearchSession session = _index.OpenSession();
        (SearchHit[] hits, SearchStatistics[] costs) = TypedSearch.Search(session, _test, _queries, K, options);
        return ([.. costs.Select((cost, query) => hits.AsSpan(query * K, cost.Hits).ToArray())], costs);
    }

    private float[] Nearest(int query, bool[] selected) =>
        [.. Enumerable.Range(0, Rows).Where(row => selected[row]).Select(row => _distances[query][row]).Order().Take(K)];

    private float Measure(int query, int row)
    {
        int sum = 0;
        for (int i = 0; i < _test.RowBytes; i++)
        {
            int difference = _queries[(query * _test.RowBytes) + i] - _test.Rows[(row * _test.RowBytes) + i];
            sum += difference * difference;
        }

        return sum;
    }
}
