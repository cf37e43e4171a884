using NUnit.Framework;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Opening;

/// <summary>The build of an IVF index measures the number of lists for each recall.</summary>
[TestFixture(VectorElementType.UInt8, 0)]
[TestFixture(VectorElementType.UInt8, 16)]
[TestFixture(VectorElementType.Float32, 0, Category = "Heavy")]
public sealed class ListCalibrationTests
{
    private const int Queries = 100;

    private readonly VectorElementType _type;
    private readonly int _codeBytes;
    private TestIndex _test = null!;

    public ListCalibrationTests(VectorElementType type, int codeBytes) => (_type, _codeBytes) = (type, codeBytes);

    [OneTimeSetUp]
    public void Build() =>
        _test = TestIndex.BuildLists(type: _type, count: 4000, lists: 80, codeBytes: _codeBytes, calibrationQueries: 128);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void The_table_rises_from_one_list_to_nearly_all()
    {
        IReadOnlyList<IndexCalibrationPoint> table = VectorIndex.Inspect(_test.Directory).Calibration;
        TestContext.Out.WriteLine(string.Join("; ", table));
        using (Assert.EnterMultipleScope())
        {
            Assert.That(table.Select(point => point.Threshold).Take(3), Is.EqualTo(new[] { 1.0, 2, 4 }));
            Assert.That(table.Select(point => point.Recall), Is.Ordered);
            Assert.That(table.Select(point => point.Reads), Is.Ordered);
            Assert.That(table[^1].Recall, Is.GreaterThan(_codeBytes > 0 ? 0.9 : 0.99));
        }
    }

    [TestCase(1, 0.7f)]
    [TestCase(10, 0.98f)]
    [TestCase(100, 0.9f)]
    [TestCase(1, 0.9f, Category = "Heavy")]
    [TestCase(1, 0.98f, Category = "Heavy")]
    [TestCase(10, 0.7f, Category = "Heavy")]
    [TestCase(10, 0.9f, Category = "Heavy")]
    [TestCase(100, 0.7f, Category = "Heavy")]
    [TestCase(100, 0.98f, Category = "Heavy")]
    public void Searches_reach_about_the_target_recall(int k, float recall)
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);

        // The table is for ten results. A hundred results span several clusters of this data, ten do not.
        float margin = k > 10 ? 0.15f : 0.04f;
        Assert.That(
            Recall(index, k, new SearchOptions { TargetRecall = recall }), Is.GreaterThan(recall - margin),
            $"table: {string.Join("; ", index.Info.Calibration)}");
    }

    [Test]
    public void A_higher_target_scans_more_lists()
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        double[] lists =
            [.. new[] { 0.6f, 0.9f, 0.999f }.Select(recall => Search(index, 10, new SearchOptions { TargetRecall = recall }).Lists)];
        Assert.That(lists, Is.Ordered);
        Assert.That(lists[^1], Is.GreaterThan(lists[0]));
    }

    [Test]
    public async Task Another_calibration_gives_the_same_table_and_may_take_more_queries()
    {
        IndexInfo built = VectorIndex.Inspect(_test.Directory);
        string path = Path.Combine(_test.Directory, IndexDirectory.ManifestName);
        byte[] manifest = await File.ReadAllBytesAsync(path);
        IndexInfo again = await VectorIndex.CalibrateAsync(_test.Directory, queries: 128);
        Assert.That(again.Calibration, Is.EqualTo(built.Calibration), "at any number of queries in flight");
        IndexInfo more = await VectorIndex.CalibrateAsync(_test.Directory, queries: 200);
        Assert.That(more.Calibration, Is.Not.EqualTo(built.Calibration));
        await File.WriteAllBytesAsync(path, manifest);
    }

    [Test]
    public void A_target_recall_replaces_probes_and_threshold()
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using (Assert.EnterMultipleScope())
        {
            AssertRefused(index, new SearchOptions { TargetRecall = 0.9f, Ivf = new IvfSearch { Probes = 3 } }, nameof(IvfSearch.Probes));
            AssertRefused(index, new SearchOptions { TargetRecall = 0.9f, Graph = new GraphSearch() }, nameof(SearchOptions.Graph));
            AssertRefused(index, new SearchOptions { TargetRecall = 0.3f }, nameof(SearchOptions.TargetRecall));
        }
    }

    private void AssertRefused(VectorIndex index, SearchOptions options, string name) =>
        Assert.That(() => Search(index, 10, options), Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains(name));

    private double Recall(VectorIndex index, int k, SearchOptions options)
    {
        (byte[] queries, SearchHit[] hits, SearchStatistics[] statistics, double lists) = Search(index, k, options);
        double found = TypedSearch.Recall(_test, queries, k, hits, statistics);
        TestContext.Out.WriteLine($"recall@{k} {found:F3} of {options.TargetRecall}, {lists:F1} lists");
        return found;
    }

    private (byte[] Queries, SearchHit[] Hits, SearchStatistics[] Statistics, double Lists) Search(
        VectorIndex index, int k, SearchOptions options)
    {
        byte[] queries = _test.MakeQueries(Queries);
        using SearchSession session = index.OpenSession();
        (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(session, _test, queries, k, options);
        return (queries, hits, statistics, statistics.Average(s => s.Hops));
    }
}
