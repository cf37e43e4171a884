using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults.Searches;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Searching;

/// <summary>A beam stays one beam when its reads cannot all be issued at once.</summary>
[TestFixture(CodeKind.Pq)]
[TestFixture(CodeKind.Opq, Category = "Heavy")]
internal sealed class BeamBarrierTests(CodeKind code)
{
    private const int Queries = 60;
    private const int K = 5;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 4000, dimension: 256, code: code);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    [Spread(2)]
    public void Queries_that_compete_for_ops_answer_as_alone([Values(1, 2, 3)] int seed, [Values(0, 100_000)] long cacheBytes)
    {
        // Eight queries of up to 64 reads want 512 ops of 64.
        SearchOptions options = new() { Graph = new GraphSearch { ListSize = 100, BeamWidth = 64 }, Mode = SearchMode.Beam };
        byte[] queries = _test.MakeQueries(Queries);
        using VectorIndex index = VectorIndex.Open(
            _test.Directory, new OpenOptions { QueriesInFlight = 8, CacheBytes = cacheBytes }, (paths, _, _) =>
            new SimulatedDevice(paths, seed));
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[Queries * K];
        var statistics = new SearchStatistics[Queries];
        session.SearchMany<byte>(queries, K, hits, statistics, options);
        Assert.That(session.Reads.Counters.HighWater, Is.EqualTo(session.Reads.Capacity), "the test needs queries that compete");

        var alone = new SearchHit[K];
        for (int query = 0; query < Queries; query++)
        {
            SearchStatistics expected = session.Search<byte>(queries.AsSpan(query * _test.RowBytes, _test.RowBytes), K, alone, options);
            SearchUnderTest.AssertEqual($"query {query}", alone, hits.AsSpan(query * K, K));
            Assert.That(
                (statistics[query].Reads, statistics[query].Hops), Is.EqualTo((expected.Reads, expected.Hops)),
                $"reads and hops of query {query}");
        }
    }
}
