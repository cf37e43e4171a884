using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Caching;

/// <summary>Many sessions share a cache that evicts constantly.</summary>
[TestFixture(IndexLayout.Merged)]
[TestFixture(IndexLayout.Plain)]
internal sealed class SharedCacheTests(IndexLayout layout)
{
    private const int Queries = 80;
    private const int K = 10;
    private const int Sessions = 6;
    private const int Rounds = 4;

    [Test]
    [Spread(3)]
    public void Sessions_that_evict_each_others_pages_answer_as_alone([Values(1, 4, 24)] int pages)
    {
        int seed = Environment.TickCount;
        using TestIndex test = TestIndex.Build(count: 1200, dimension: 64, layout: layout);
        byte[] queries = test.MakeQueries(Queries);
        SearchOptions beam = new() { Graph = new GraphSearch { ListSize = 40 }, Mode = SearchMode.Beam };
        SearchOptions pipelined = new() { Graph = new GraphSearch { ListSize = test.Count }, Mode = SearchMode.Pipelined };
        var expected = new SearchHit[Queries * K];
        var exact = new SearchHit[Queries * K];
        using (VectorIndex index = test.Open())
        using (SearchSession session = index.OpenSession())
        {
            session.SearchMany<byte>(queries, K, expected, [], beam);
            session.SearchMany<byte>(queries, K, exact, [], pipelined);
        }

        using VectorIndex shared = VectorIndex.Open(
            test.Directory, new OpenOptions { QueriesInFlight = 4, CachePolicy = CachePolicy.Adaptive, CacheBytes = pages * 4128 });
        Task[] tasks =
            [.. Enumerable.Range(0, Sessions).Select(number => Task.Factory.StartNew(() => Run(number), TaskCreationOptions.LongRunning))];
        Task.WaitAll(tasks);
        Assert.That(shared.CacheStatistics.Pages, Is.EqualTo(pages - (pages % Math.Min(pages, 16))));
        Assert.That(shared.CacheStatistics.Evictions, Is.GreaterThan(0));

        void Run(int number)
        {
            using SearchSession session = shared.OpenSession();
            var random = new Random(seed + number);
            var hits = new SearchHit[K];
            for (int i = 0; i < Rounds * Queries / 4; i++)
            {
                int row = random.Next(Queries);
                bool isBeam = random.Next(10) > 0;
                session.Search<byte>(queries.AsSpan(row * test.RowBytes, test.RowBytes), K, hits, isBeam ? beam : pipelined);
                if (!hits.AsSpan().SequenceEqual((isBeam ? expected : exact).AsSpan(row * K, K)))
                    Assert.Fail($"seed {seed}, session {number}, step {i}, query {row}: found {string.Join(", ", hits)}");
            }
        }
    }
}
