using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Searching.Requests;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Searching;

/// <summary>Where more vectors lie near a query than codes can tell apart, its pool of candidates grows.</summary>
[TestFixture(4000, 60, 100)]
[TestFixture(5000, 150, 1000, Category = "Heavy")]
internal sealed class GrowingPoolTests(int ofCluster, int queries, int calibrationQueries)
{
    private const int Dimension = 64;
    private const int Clusters = 2;
    private const int K = 10;
    private const int PoolSize = 64;

    private readonly float[] _vectors = new float[Clusters * ofCluster * Dimension];
    private readonly float[] _queries = new float[queries * Dimension];
    private TemporaryFolder _folder = null!;
    private VectorIndex _index = null!;

    [OneTimeSetUp]
    public async Task BuildAsync()
    {
        // Members of a cluster differ in what eight bytes do not hold.
        var random = new Random(1);
        float[][] centres = [.. Enumerable.Range(0, Clusters).Select(_ => Draw(random, 1))];
        for (int i = 0; i < Clusters * ofCluster; i++)
            Near(centres[i / ofCluster], random).CopyTo(_vectors, i * Dimension);
        for (int i = 0; i < queries; i++)
            Near(centres[i % Clusters], random).CopyTo(_queries, i * Dimension);
        _folder = new TemporaryFolder();
        await using VectorSource source = VectorSource.FromMemory(_vectors, Dimension);
        var builder = new VectorIndexBuilder(_folder.File("index"), new BuildOptions { Tuning = new() { CodeBytes = 8 } })
        {
            CalibrationQueries = calibrationQueries,
        };
        await builder.BuildAsync(source);
        _index = await VectorIndex.OpenAsync(_folder.File("index"));
    }

    [OneTimeTearDown]
    public async Task DeleteAsync()
    {
        await _index.DisposeAsync();
        _folder.Dispose();
    }

    [Test]
    public void A_low_threshold_finds_what_no_threshold_finds_in_a_pool_of_one_size()
    {
        (double found, double reads) = Search(threshold: 0.002f, tuning: null);
        (double foundFixed, double readsFixed) = Search(threshold: 0.002f, new WalkTuning { PoolSize = PoolSize });
        TestContext.Out.WriteLine($"found {found:F3} {reads:F1}; fixed {foundFixed:F3} {readsFixed:F1}");
        Assert.Multiple(() =>
        {
            Assert.That(foundFixed, Is.LessThan(0.9), "the pool ends before the answer does");
            Assert.That(found, Is.GreaterThan(foundFixed + 0.05));
            Assert.That(reads, Is.GreaterThan(readsFixed));
        });
    }

    [Test]
    public void A_high_threshold_needs_no_more_than_a_small_pool()
    {
        (double found, double reads) = Search(threshold: 1.5f, tuning: null);
        (double foundFixed, double readsFixed) = Search(threshold: 1.5f, new WalkTuning { PoolSize = PoolSize });
        Assert.That((found, reads), Is.EqualTo((foundFixed, readsFixed)), "no candidate promises as much as a page must");
    }

    [Test]
    [Spread]
    public void A_beam_finds_the_same_in_whatever_order_its_pages_land(
        [Values(1, 2, 3)] int seed, [Values(0.2f, 0.1f, 0.05f, 0.02f)] float threshold)
    {
        var options = new SearchOptions { Graph = new GraphSearch { Threshold = threshold }, Mode = SearchMode.Beam };
        (SearchHit[] hits, SearchStatistics[] costs) = SearchAll(_index, options);
        using VectorIndex other = VectorIndex.Open(
            _folder.File("index"), new OpenOptions(), (paths, _, _) => new SimulatedDevice(paths, seed));
        (SearchHit[] otherHits, SearchStatistics[] otherCosts) = SearchAll(other, options);
        Assert.Multiple(() =>
        {
            Assert.That(otherHits, Is.EqualTo(hits));
            Assert.That(otherCosts.Select(cost => cost.Reads), Is.EqualTo(costs.Select(cost => cost.Reads)));
            Assert.That(otherCosts.Select(cost => cost.CodeDistances), Is.EqualTo(costs.Select(cost => cost.CodeDistances)));
        });
    }

    private (SearchHit[] Hits, SearchStatistics[] Costs) SearchAll(VectorIndex index, SearchOptions options)
    {
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[queries * K];
        var costs = new SearchStatistics[queries];
        session.SearchMany<float>(_queries, K, hits, costs, options);
        return (hits, costs);
    }

    private static float[] Draw(Random random, float scale) =>
        [.. Enumerable.Range(0, Dimension).Select(_ => ((float)random.NextDouble() - 0.5f) * scale)];

    private static float[] Near(float[] centre, Random random) => [.. centre.Zip(Draw(random, 0.2f), (a, b) => a + b)];

    private (double Found, double Reads) Search(float threshold, WalkTuning? tuning)
    {
        var options = new SearchOptions { Graph = new GraphSearch { Threshold = threshold }, Mode = SearchMode.Beam, Tuning = tuning };
        using SearchSession session = _index.OpenSession();
        int found = 0;
        long reads = 0;
        for (int query = 0; query < queries; query++)
        {
            ReadOnlySpan<float> vector = _queries.AsSpan(query * Dimension, Dimension);
            var hits = new SearchHit[K];
            var truth = new SearchHit[K];
            SearchStatistics cost = session.Search(vector, K, hits, options);
            session.Search(vector, K, truth, new SearchOptions { Mode = SearchMode.Exact });
            reads += cost.Reads;
            found += hits.Select(hit => hit.Key).Intersect(truth.Select(hit => hit.Key)).Count();
        }

        return ((double)found / (queries * K), (double)reads / queries);
    }
}
