using NUnit.Framework;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Tests.Api;

/// <summary>Searches reach about the target recall, for any number of results and nodes per page.</summary>
[TestFixture(VectorElementType.UInt8, 32, 3000)]
[TestFixture(VectorElementType.Float32, 260, 1000)]
public sealed class TargetRecallTests
{
    private const int Queries = 100;

    private readonly VectorElementType _type;
    private readonly int _dimension;
    private readonly int _count;
    private TestIndex _test = null!;
    private VectorIndex _index = null!;

    public TargetRecallTests(VectorElementType type, int dimension, int count) => (_type, _dimension, _count) = (type, dimension, count);

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(DistanceMetric.L2, _type, _count, _dimension, calibrationQueries: 200);
        _index = _test.Open(DeviceKind.Memory);
    }

    [OneTimeTearDown]
    public void Delete()
    {
        _index.Dispose();
        _test.Dispose();
    }

    [Test]
    [Spread]
    public void Searches_reach_about_the_target_recall([Values(1, 10, 100)] int k, [Values(0.7f, 0.9f, 0.98f)] float recall)
    {
        // The table is for ten results. A hundred results span several clusters of this data, ten do not.
        float margin = k > 10 ? 0.15f : 0.04f;
        Assert.That(
            Measure(k, new SearchOptions { TargetRecall = recall }), Is.GreaterThan(recall - margin),
            $"table: {string.Join("; ", _index.Info.Calibration)}");
    }

    [Test]
    [Spread]
    public void An_answer_has_k_results_at_any_threshold(
        [Values(SearchPolicy.Gain, SearchPolicy.Ratio)] SearchPolicy policy, [Values(1, 10, 50)] int k) =>
        Measure(k, new ReferenceSearch { Policy = policy, Threshold = 100 });

    private double Measure(int k, SearchOptions options)
    {
        byte[] queries = _test.MakeQueries(Queries);
        using SearchSession session = _index.OpenSession();
        (SearchHit[] hits, SearchStatistics[] statistics) =
            TypedSearch.Search(session, _test, queries, k, options with { Mode = SearchMode.Beam });
        Assert.That(statistics.Select(s => s.Hits), Is.All.EqualTo(k), "hits");
        double found = TypedSearch.Recall(_test, queries, k, hits, statistics);
        TestContext.Out.WriteLine(
            $"recall@{k} {found:F3} of {options.TargetRecall}, {statistics.Average(s => s.Reads):F1} reads, {_index.Info.NodesPerPage} "
            + "nodes a page");
        return found;
    }
}
