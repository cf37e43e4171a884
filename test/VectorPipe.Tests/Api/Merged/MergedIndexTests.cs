using NUnit.Framework;
using NUnit.Framework.Internal;
using VectorPipe.Model.Search;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Tests.Api.Merged;

/// <summary>A whole merged index of every type and metric: its pages, and the answers and costs of searches.</summary>
[TestFixtureSource(nameof(Fixtures))]
public sealed class MergedIndexTests
{
    private const int K = 10;
    private const int Queries = 30;

    private readonly DistanceMetric _metric;
    private readonly VectorElementType _type;
    private TestIndex _test = null!;
    private VectorIndex _index = null!;
    private SearchSession _session = null!;
    private byte[] _queries = [];

    public MergedIndexTests(DistanceMetric metric, VectorElementType type)
    {
        _metric = metric;
        _type = type;
    }

    /// <remarks>One metric of each type runs every time.</remarks>
    private static IEnumerable<TestFixtureData> Fixtures()
    {
        foreach ((int row, DistanceMetric metric) in Enum.GetValues<DistanceMetric>().Index())
        {
            foreach ((int column, VectorElementType type) in Enum.GetValues<VectorElementType>().Index())
            {
                var fixture = new TestFixtureData(metric, type);
                if (column % Enum.GetValues<DistanceMetric>().Length != row)
                    fixture.Properties.Add(PropertyNames.Category, "Heavy");
                yield return fixture;
            }
        }
    }

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(_metric, _type, count: 1200, dimension: 24);
        _index = _test.Open(DeviceKind.Memory);
        _queries = _test.MakeQueries(Queries);
    }

    // A session belongs to one thread, and tests run on several.
    [SetUp]
    public void OpenSession() => _session = _index.OpenSession();

    [TearDown]
    public void CloseSession() => _session.Dispose();

    [OneTimeTearDown]
    public void Delete()
    {
        _index.Dispose();
        _test.Dispose();
    }

    [Test]
    public async Task Every_page_verifies() => Assert.That((await VectorIndex.VerifyAsync(_test.Directory)).Defects, Is.Empty);

    [Test]
    public void Every_key_leads_to_its_vector() =>
        Assert.That(TypedSearch.GetAll(_session, _test).AsSpan().SequenceEqual(_test.Rows), Is.True);

    [Test]
    [Spread(2)]
    public void A_list_of_all_finds_exactly_the_true_neighbours([Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(
            _session, _test, _queries, K, new SearchOptions { Graph = new GraphSearch { ListSize = _test.Count }, Mode = mode });
        Assert.That(TypedSearch.Recall(_test, _queries, K, hits, statistics), Is.EqualTo(1.0));
    }

    [TestCase(SearchPolicy.Gain, 2f, 0.3f, 0.03f, 0.003f)]
    [TestCase(SearchPolicy.Ratio, 1f, 0.9f, 0.8f, 0.7f)]
    public void Recall_and_reads_grow_as_the_threshold_falls(SearchPolicy policy, params float[] thresholds)
    {
        double recall = 0, reads = 0;
        foreach (float threshold in thresholds)
        {
            (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(
                _session, _test, _queries, K, new ReferenceSearch { Policy = policy, Threshold = threshold, Mode = SearchMode.Beam });
            double now = TypedSearch.Recall(_test, _queries, K, hits, statistics);
            TestContext.Out.WriteLine($"{policy} {threshold}: recall {now:F3}, reads {statistics.Average(s => s.Reads):F1}");
            Assert.That(statistics.Select(s => s.Hits), Is.All.EqualTo(K), $"hits at {threshold}");
            Assert.That(now, Is.GreaterThanOrEqualTo(recall - 0.004), $"recall at {threshold}");
            Assert.That(statistics.Average(s => s.Reads), Is.GreaterThanOrEqualTo(reads), $"reads at {threshold}");
            (recall, reads) = (now, statistics.Average(s => s.Reads));
        }

        Assert.That(recall, Is.GreaterThan(0.98), "at the lowest threshold");
    }

    [Test]
    [Spread(2)]
    public void No_page_is_read_twice_and_no_vector_is_scored_or_returned_twice(
        [Values] SearchPolicy policy, [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        var pages = new MergedPages(_test);
        for (int query = 0; query < Queries; query++)
        {
            var trace = new SearchTrace();
            byte[] one = _queries[(query * _test.RowBytes)..((query + 1) * _test.RowBytes)];
            (SearchHit[] hits, SearchStatistics[] statistics) =
                TypedSearch.Search(_session, _test, one, K, new ReferenceSearch { Policy = policy, Mode = mode, Trace = trace });
            long[] read = [.. trace.Events.Where(e => e.Kind == SearchTraceKind.Submit).Select(e => e.Page)];
            int[] taken = [.. trace.Events.Where(e => e.Kind == SearchTraceKind.TakeIn).Select(e => (int)e.Page)];
            Assert.That(read, Is.Unique, $"pages read by query {query}");
            Assert.That(statistics[0].Reads, Is.EqualTo(read.Length), $"reads of query {query}");
            Assert.That(
                statistics[0].ExactDistances, Is.EqualTo(taken.SelectMany(pages.Ids).Distinct().Count()),
                $"exact distances of query {query}: one for each vector that it saw");
            Assert.That(hits.Select(hit => hit.Key), Is.Unique, $"answer of query {query}");
        }
    }

    [Test]
    [Spread(2)]
    public void A_beam_answers_the_same_beside_other_queries([Values] SearchPolicy policy)
    {
        ReferenceSearch options = new() { Policy = policy, Mode = SearchMode.Beam };
        (SearchHit[] together, SearchStatistics[] costs) = TypedSearch.Search(_session, _test, _queries, K, options);
        for (int query = 0; query < Queries; query++)
        {
            (SearchHit[] alone, SearchStatistics[] cost) =
                TypedSearch.Search(_session, _test, _queries[(query * _test.RowBytes)..((query + 1) * _test.RowBytes)], K, options);
            Assert.That(together[(query * K)..((query + 1) * K)], Is.EqualTo(alone), $"query {query}");
            Assert.That(
                (costs[query].Reads, costs[query].CodeDistances), Is.EqualTo((cost[0].Reads, cost[0].CodeDistances)),
                $"cost of query {query}");
        }
    }
}
