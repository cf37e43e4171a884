using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Exact;

/// <summary>Exact search finds the true nearest in any layout, by a scan that queries share.</summary>
internal sealed class ExactSearchTests
{
    private const int K = 10;

    private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };

    [Test]
    [Spread(2)]
    public void An_exact_search_equals_brute_force([Values] IndexLayout layout, [Values(1, 4)] int inFlight)
    {
        using TestIndex test = TestIndex.Build(count: 2000, layout: layout);
        using VectorIndex index = test.Open(DeviceKind.Memory, inFlight);
        byte[] queries = test.MakeQueries(10);
        SearchHit[] hits = Search(index, queries, 10, out _);
        for (int i = 0; i < 10; i++)
            Assert.That(
                hits.Skip(i * K).Take(K).Select(hit => hit.Key),
                Is.EqualTo(test.Nearest(queries.AsSpan(i * test.RowBytes, test.RowBytes), K).Keys), $"query {i}");
    }

    [Test]
    [Spread(2)]
    public void A_scan_finds_the_true_neighbours_of_every_type_and_metric([Values] VectorElementType type, [Values] DistanceMetric metric)
    {
        using TestIndex test = TestIndex.Build(metric, type, 1500);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(5);
        (SearchHit[] hits, _) = TypedSearch.Search(session, test, queries, K, _exact);
        for (int i = 0; i < 5; i++)
        {
            float last = test.Nearest(queries.AsSpan(i * test.RowBytes, test.RowBytes), K).Last;
            Assert.That(
                hits.Skip(i * K).Take(K).Select(hit => test.DistanceOf(hit.Score)),
                Is.All.LessThanOrEqualTo(last + (1e-4 * Math.Abs(last)) + 1e-6), $"query {i}");
            Assert.That(hits.Skip(i * K).Take(K).Select(hit => hit.Key), Is.Unique);
        }
    }

    [Test]
    public void Queries_in_flight_share_one_scan()
    {
        using TestIndex test = TestIndex.Build(count: 3000);
        using VectorIndex index = test.Open(DeviceKind.Memory, 8);
        Search(index, test.MakeQueries(1), 1, out long alone);
        Search(index, test.MakeQueries(8), 8, out long together);

        Assert.That(together, Is.EqualTo(alone));
    }

    [Test]
    public void A_scan_reads_many_pages_at_a_time()
    {
        using TestIndex test = TestIndex.Build(count: 3000);
        using VectorIndex index = test.Open(DeviceKind.Memory, 1);
        Search(index, test.MakeQueries(1), 1, out long reads);

        Assert.That(reads, Is.LessThan(index.Info.Files.Single(file => file.Role == "Nodes").PageCount / 10));
    }

    [Test]
    public void Every_vector_is_compared_once()
    {
        using TestIndex test = TestIndex.Build(count: 3000);
        using VectorIndex index = test.Open(DeviceKind.Memory, 3);
        using SearchSession session = index.OpenSession();
        var statistics = new SearchStatistics[7];
        session.SearchMany<byte>(test.MakeQueries(7), K, new SearchHit[7 * K], statistics, _exact);

        Assert.That(statistics.Select(query => query.ExactDistances), Is.All.EqualTo(3000));
    }

    [Test]
    [Alone]
    public void A_second_scan_allocates_nothing()
    {
        using TestIndex test = TestIndex.Build(count: 2000);
        using VectorIndex index = test.Open(DeviceKind.Memory, 4);
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(20);
        var hits = new SearchHit[20 * K];
        session.SearchMany<byte>(queries, K, hits, [], _exact);
        Assert.That(Allocations.OfThread(() => session.SearchMany<byte>(queries, K, hits, [], _exact)), Is.Zero);
    }

    [Test]
    public async Task Walks_and_scans_on_one_thread_answer_as_alone()
    {
        using TestIndex test = TestIndex.Build(count: 2000);
        await using VectorIndex index = test.Open(DeviceKind.Portable);
        byte[] queries = test.MakeQueries(40);
        var walk = new SearchOptions { Graph = new GraphSearch { ListSize = 60 }, Mode = SearchMode.Beam };
        SearchResult[] alone = await index.SearchBatchAsync<byte>(queries, K, walk);
        Task<SearchResult[]> scans = index.SearchBatchAsync<byte>(queries, K, _exact);
        Task<SearchResult[]> walks = index.SearchBatchAsync<byte>(queries, K, walk);
        SearchResult[] scanned = await scans;
        SearchResult[] walked = await walks;
        for (int i = 0; i < 40; i++)
        {
            Assert.That(walked[i], Is.EqualTo(alone[i]), $"walk {i}");
            Assert.That(
                scanned[i].Select(hit => hit.Key), Is.EqualTo(test.Nearest(queries.AsSpan(i * test.RowBytes, test.RowBytes), K).Keys),
                $"scan {i}");
        }
    }

    [Test]
    public void A_damaged_page_is_an_error_and_the_session_goes_on()
    {
        using TestIndex test = TestIndex.Build(count: 2000);
        byte[] bytes = File.ReadAllBytes(test.NodeFile);
        bytes[(5 * 4096) + 200] ^= 1;
        File.WriteAllBytes(test.NodeFile, bytes);
        using VectorIndex index = test.Open(DeviceKind.Portable);
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[3 * K];
        for (int again = 0; again < 2; again++)
            Assert.That(
                () => session.SearchMany<byte>(test.MakeQueries(3), K, hits, [], _exact),
                Throws.TypeOf<IndexCorruptException>().With.Message.Contains("page 5"));

        bytes[(5 * 4096) + 200] ^= 1;
        File.WriteAllBytes(test.NodeFile, bytes);
        Assert.That(() => session.SearchMany<byte>(test.MakeQueries(3), K, hits, [], _exact), Throws.Nothing);
    }

    [Test]
    public void A_cancelled_scan_ends_and_the_session_goes_on()
    {
        using TestIndex test = TestIndex.Build(count: 2000);
        using VectorIndex index = test.Open(DeviceKind.Portable);
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[3 * K];

        Assert.That(
            () =>
            session.SearchMany<byte>(
                test.MakeQueries(3), K, hits, [], _exact,
                new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(() => session.SearchMany<byte>(test.MakeQueries(3), K, hits, [], _exact), Throws.Nothing);
    }

    [Test]
    public void Options_of_a_walk_are_refused()
    {
        using TestIndex test = TestIndex.Build(count: 300, codeBytes: 8);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[K];

        Assert.That(
            () => session.Search<byte>(test.MakeQueries(1), K, hits, _exact with { Graph = new GraphSearch { ListSize = 50 } }),
            Throws.TypeOf<ArgumentOutOfRangeException>().With.Message.Contains("Graph"));
    }

    private static SearchHit[] Search(VectorIndex index, byte[] queries, int count, out long reads)
    {
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[count * K];
        session.SearchMany<byte>(queries, K, hits, [], _exact);
        reads = session.DeviceReads;
        return hits;
    }
}
