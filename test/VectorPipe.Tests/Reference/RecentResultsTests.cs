using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Pools;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Reference;

/// <summary>Queries enter the graph where the latest queries of their thread ended.</summary>
[TestFixture]
internal sealed class RecentResultsTests
{
    private const int K = 10;
    private const int Distinct = 12;
    private static readonly ReferenceSearch _usual = new() { ListSize = 20, Mode = SearchMode.Beam };
    private TestIndex _test = null!;
    private VectorIndex _index = null!;
    private byte[] _stream = [];

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: 3000, dimension: 64, layout: IndexLayout.Plain);
        _index = _test.Open(DeviceKind.Memory);

        // Noisy repeats of a few queries.
        byte[] distinct = _test.MakeQueries(Distinct);
        var random = new Random(7);
        _stream = new byte[8 * distinct.Length];
        for (int i = 0; i < _stream.Length; i++)
            _stream[i] = (byte)Math.Clamp(distinct[i % distinct.Length] + random.Next(-2, 3), 0, 255);
    }

    [OneTimeTearDown]
    public void Delete()
    {
        _index.Dispose();
        _test.Dispose();
    }

    [Test]
    public void Repeated_queries_read_less_and_find_as_much()
    {
        (double recall, double reads) = Run(_usual);
        (double nearRecall, double nearReads) = Run(Near());
        TestContext.Out.WriteLine($"reads {reads:F2} -> {nearReads:F2}, recall {recall:F4} -> {nearRecall:F4}");
        Assert.That(nearReads, Is.LessThan(0.9 * reads));
        Assert.That(nearRecall, Is.GreaterThan(recall - 0.01));
    }

    [Test]
    [Alone]
    public void Without_the_option_nothing_is_kept_and_nothing_costs_more()
    {
        int[] Costs(SearchSession session) =>
            [.. TypedSearch.Search(session, _test, _stream, K, _usual).Statistics.SelectMany(
                s => new[] { s.Reads, s.CodeDistances, s.Hops })];
        using SearchSession plain = _index.OpenSession(), other = _index.OpenSession();
        TypedSearch.Search(other, _test, _stream, K, Near());
        Assert.That(Costs(other), Is.EqualTo(Costs(plain)), "a search without recent results costs the same after searches with them");

        var pool = new ResultPool();
        pool.Reset(K);
        long allocated = Allocations.OfThread(() =>
        {
            for (int i = 0; i < 100; i++)
                pool.Insert(100 - i, (ulong)i, (uint)i);
        });
        Assert.That(allocated, Is.Zero);
        Assert.That(() => pool.Id(0), Throws.TypeOf<IndexOutOfRangeException>(), "ids are not kept");
    }

    [Test]
    public void Ids_stay_with_their_keys()
    {
        var random = new Random(3);
        var pool = new ResultPool();
        pool.Reset(K, withIds: true);
        for (int i = 0; i < 500; i++)
        {
            uint id = (uint)random.Next(1000);
            pool.Insert(random.Next(50), id + 7000ul, id);
        }

        Assert.That(Enumerable.Range(0, K).Select(rank => pool.Id(rank) + 7000ul), Is.EqualTo(Enumerable.Range(0, K).Select(pool.Key)));
    }

    [Test]
    public void A_thread_does_not_see_the_results_of_another()
    {
        SearchOptions shared = Near();
        using SearchSession session = _index.OpenSession();
        int alone = One(session, Near());
        var other = new Thread(() =>
        {
            using SearchSession theirs = _index.OpenSession();
            TypedSearch.Search(theirs, _test, _stream, K, shared);
        });
        other.Start();
        other.Join();
        Assert.That(One(session, shared), Is.EqualTo(alone));
    }

    [Test]
    public void A_cleared_thread_searches_as_a_new_one()
    {
        var recent = new RecentResults();
        SearchOptions near = _usual with { Recent = recent };
        using SearchSession session = _index.OpenSession();
        int fresh = One(session, near);
        Assert.That(One(session, near), Is.Not.EqualTo(fresh), "the second search enters where the first ended");
        recent.Clear();
        Assert.That(One(session, near), Is.EqualTo(fresh));
    }

    [Test]
    public void The_nearest_results_of_the_latest_queries_are_kept()
    {
        var recent = new RecentResults();
        var pool = new ResultPool();
        const int queries = RecentResults.Capacity / RecentResults.PerQuery + 3;
        for (uint query = 0; query < queries; query++)
        {
            pool.Reset(K, withIds: true);
            for (uint rank = 0; rank < K; rank++)
                pool.Insert(rank, rank, (100 * query) + rank);
            recent.Note(pool);
        }

        uint[] expected = [
            .. Enumerable.Range(3, queries - 3)
            .SelectMany(query => Enumerable.Range(0, RecentResults.PerQuery).Select(rank => (uint)((100 * query) + rank)))];
        Assert.That(recent.Ids.ToArray(), Is.EquivalentTo(expected));
    }

    private static SearchOptions Near() => _usual with { Recent = new RecentResults() };

    // Code distances of one query, which depend on its entry point.
    private int One(SearchSession session, SearchOptions options) =>
        TypedSearch.Search(session, _test, _stream[.._test.RowBytes], K, options).Statistics[0].CodeDistances;

    private (double Recall, double Reads) Run(SearchOptions options)
    {
        using SearchSession session = _index.OpenSession();
        (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(session, _test, _stream, K, options);
        return (TypedSearch.Recall(_test, _stream, K, hits, statistics), statistics.Average(s => s.Reads));
    }
}
