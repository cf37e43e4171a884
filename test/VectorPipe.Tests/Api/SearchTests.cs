using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Open;
using VectorPipe.Model.Search;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Api;

/// <summary>Whole path: build, open, search, compare with brute force.</summary>
[TestFixture]
public sealed class SearchTests
{
    private const int K = 10;
    private const int Queries = 100;

    [Test]
    [Spread]
    public void Finds_the_true_neighbours_of_every_type_and_metric(
        [Values] VectorElementType type, [Values] DistanceMetric metric, [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        using TestIndex test = TestIndex.Build(metric, type, 2000);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        (double recall, double worstError) =
            Recall(test, index, new SearchOptions { Graph = new GraphSearch { ListSize = 80 }, Mode = mode });
        using (Assert.EnterMultipleScope())
        {
            Assert.That(recall, Is.GreaterThan(0.97), "recall@10 at L = 80");
            Assert.That(worstError, Is.LessThan(2e-3), "relative error of a score against the score in double precision");
        }
    }

    [Test]
    [Spread(2)]
    public void Beam_search_gives_the_same_answers_on_every_device([Values] TestDevice device)
    {
        using TestIndex test = TestIndex.Build();
        SearchHit[] expected, found;
        using (VectorIndex index = test.Open(DeviceKind.Memory, 1))
            expected =
                SearchAll(test, index, new SearchOptions { Graph = new GraphSearch { ListSize = 30 }, Mode = SearchMode.Beam }, out _);
        using (VectorIndex index = test.OpenOrIgnore(device, 1))
            found = SearchAll(test, index, new SearchOptions { Graph = new GraphSearch { ListSize = 30 }, Mode = SearchMode.Beam }, out _);
        Assert.That(found, Is.EqualTo(expected));
    }

    [Test]
    public void Reads_are_counted_at_the_device_and_no_page_is_read_twice()
    {
        using TestIndex test = TestIndex.Build(count: 300, layout: IndexLayout.Plain);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(20);
        long before = session.DeviceReads;
        var statistics = new SearchStatistics[20];
        session.SearchMany<byte>(
            queries, K, new SearchHit[20 * K], statistics, new SearchOptions { Graph = new GraphSearch { ListSize = 250 } });
        int pages = (300 + index.Info.NodesPerPage - 1) / index.Info.NodesPerPage;
        using (Assert.EnterMultipleScope())
        {
            Assert.That(session.DeviceReads - before, Is.EqualTo(statistics.Sum(s => s.Reads)));
            Assert.That(statistics.Select(s => s.Reads), Is.All.LessThanOrEqualTo(pages), "a list size near n visits every page, once");
            Assert.That(statistics.Select(s => s.ExactDistances), Is.All.LessThanOrEqualTo(300), "no exact distance twice");
            Assert.That(statistics.Select(s => s.Hops), Is.All.GreaterThanOrEqualTo(200), "co-resident nodes are expanded without a read");
        }
    }

    [Test]
    public void A_full_list_finds_exactly_the_true_neighbours([Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        using TestIndex test = TestIndex.Build(count: 500);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        (double recall, _) = Recall(test, index, new SearchOptions { Graph = new GraphSearch { ListSize = 500 }, Mode = mode });
        Assert.That(recall, Is.EqualTo(1.0), "every vector is reachable, so a list of all of them misses none");
    }

    [Test]
    public void Cached_pages_give_the_same_answers_with_fewer_reads()
    {
        using TestIndex test = TestIndex.Build();
        SearchHit[] plain, cached;
        SearchStatistics[] plainCost, cachedCost;
        var options = new SearchOptions { Graph = new GraphSearch { ListSize = 30, BeamWidth = 1 }, Mode = SearchMode.Beam };
        using (VectorIndex index = test.Open(DeviceKind.Memory))
            plain = SearchAll(test, index, options, out plainCost);
        using (
            VectorIndex index = VectorIndex.Open(
                test.Directory, new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory }, CacheBytes = 50 * 4096 }))
            cached = SearchAll(test, index, options, out cachedCost);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(cached, Is.EqualTo(plain), "with one read at a time the walk does not depend on where a page comes from");
            Assert.That(cachedCost.Sum(s => s.CacheHits), Is.GreaterThan(0));
            Assert.That(cachedCost.Sum(s => s.Reads + s.CacheHits), Is.EqualTo(plainCost.Sum(s => s.Reads)));
        }
    }

    [Test]
    public void A_cache_larger_than_the_index_saves_all_reads()
    {
        using TestIndex test = TestIndex.Build(count: 1000);
        using VectorIndex index = VectorIndex.Open(test.Directory, new OpenOptions { CacheBytes = 1L << 30 });
        SearchAll(test, index, new SearchOptions { Graph = new GraphSearch { ListSize = 60 } }, out SearchStatistics[] cost);
        Assert.That(cost.Sum(s => s.Reads), Is.Zero);
    }

    [Test]
    public async Task Asynchronous_answers_equal_those_of_a_session()
    {
        using TestIndex test = TestIndex.Build();
        using VectorIndex index = test.Open(DeviceKind.Memory);
        var options = new SearchOptions { Graph = new GraphSearch { ListSize = 40 }, Mode = SearchMode.Beam };
        SearchHit[] expected = SearchAll(test, index, options, out _);
        byte[] queries = test.MakeQueries(Queries);
        SearchResult[] results = await index.SearchBatchAsync<byte>(queries, K, options);
        Assert.That(results.SelectMany(result => result), Is.EqualTo(expected));
    }

    [TestCase(700)]
    [TestCase(2000, Category = "Heavy")]
    public async Task Many_tasks_share_an_index(int searches)
    {
        using TestIndex test = TestIndex.Build();
        await using VectorIndex index = VectorIndex.Open(test.Directory, new OpenOptions { SearchThreads = 2, QueriesInFlight = 3 });
        byte[] queries = test.MakeQueries(Queries);
        int wrong = 0;
        await Parallel.ForAsync(0, searches, new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (i, token) =>
        {
            int row = i % Queries;
            SearchResult result = await index.SearchAsync<byte>(
                queries.AsMemory(row * test.RowBytes, test.RowBytes), 1, new SearchOptions { Graph = new GraphSearch { ListSize = 60 } },
                token);
            if (result[0].Score > test.Nearest(queries.AsSpan(row * test.RowBytes, test.RowBytes), 1).Last)
                Interlocked.Increment(ref wrong);
        });
        Assert.That(wrong, Is.LessThan(searches * 3 / 100), "recall@1 of at least 97 % under concurrency");
    }

    [Test]
    public void A_query_wider_than_the_free_ops_is_answered()
    {
        using TestIndex test = TestIndex.Build();
        using VectorIndex index = test.Open(DeviceKind.Portable, 4);
        (double recall, _) = Recall(test, index, new SearchOptions { Graph = new GraphSearch { ListSize = 300, BeamWidth = 256 } });
        Assert.That(recall, Is.GreaterThan(0.99));
    }

    [Test]
    public void A_trace_has_reads_and_expansions_and_is_valid_JSON()
    {
        using TestIndex test = TestIndex.Build();
        using VectorIndex index = test.Open();
        using SearchSession session = index.OpenSession();
        var trace = new SearchTrace();
        SearchStatistics cost = session.Search<byte>(test.MakeQueries(1), K, new SearchHit[K], new SearchOptions { Trace = trace });
        using var stream = new MemoryStream();
        trace.WriteChromeTrace(stream);
        using var document = System.Text.Json.JsonDocument.Parse(stream.ToArray());
        using (Assert.EnterMultipleScope())
        {
            Assert.That(trace.Events.Count(e => e.Kind == SearchTraceKind.Expand), Is.EqualTo(cost.Hops));
            Assert.That(trace.Events.Count(e => e.Kind == SearchTraceKind.Submit), Is.EqualTo(cost.Reads));
            Assert.That(trace.Events.Count(e => e.Kind == SearchTraceKind.Done), Is.EqualTo(1));
            Assert.That(document.RootElement.GetProperty("traceEvents").GetArrayLength(), Is.GreaterThan(cost.Reads));
            double computed = trace.Events.Where(e => e.Kind == SearchTraceKind.Compute).Sum(e => e.DurationUs);
            Assert.That(computed, Is.EqualTo(cost.CpuUs).Within(0.1), "the stretches of computing are all that was counted");
        }
    }

    [Test]
    public void A_trace_tells_the_settings_and_the_end_of_every_read_that_landed()
    {
        using TestIndex test = TestIndex.Build();
        using VectorIndex index = test.Open();
        using SearchSession session = index.OpenSession();
        var trace = new SearchTrace();
        var options = new SearchOptions { Trace = trace, Graph = new GraphSearch { ListSize = 33, BeamWidth = 7 } };
        SearchStatistics cost = session.Search<byte>(test.MakeQueries(1), K, new SearchHit[K], options);
        using var stream = new MemoryStream();
        trace.WriteChromeTrace(stream);
        using var document = System.Text.Json.JsonDocument.Parse(stream.ToArray());
        string[] phases = [.. document.RootElement.GetProperty("traceEvents").EnumerateArray().Select(e => $"{e.GetProperty("ph")}")];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(phases.Count(phase => phase == "b"), Is.EqualTo(cost.Reads));
            Assert.That(phases.Count(phase => phase == "e"),
                Is.EqualTo(trace.Events.Count(e => e.Kind == SearchTraceKind.Complete)).And.GreaterThan(0));
            Assert.That($"{document.RootElement.GetProperty("otherData")}", Is.EqualTo(
                """{"list_size":33,"candidates":33,"beam_width":7}"""));
        }
    }

    [Test]
    public void Vectors_larger_than_a_page_are_built_and_found()
    {
        using TestIndex test = TestIndex.Build(type: VectorElementType.Float32, count: 300, dimension: 2500);
        using VectorIndex index = test.Open();
        (double recall, _) = Recall(test, index, new SearchOptions { Graph = new GraphSearch { ListSize = 100 } }, 20);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(index.Info.PageSize, Is.EqualTo(8192));
            Assert.That(recall, Is.GreaterThan(0.95));
        }
    }

    private static SearchHit[] SearchAll(TestIndex test, VectorIndex index, SearchOptions options, out SearchStatistics[] statistics)
    {
        var hits = new SearchHit[Queries * K];
        statistics = new SearchStatistics[Queries];
        using SearchSession session = index.OpenSession();
        session.SearchMany<byte>(test.MakeQueries(Queries), K, hits, statistics, options);
        return hits;
    }

    private static (double Recall, double WorstError) Recall(TestIndex test, VectorIndex index, SearchOptions options, int count = Queries)
    {
        byte[] queries = test.MakeQueries(count);
        var hits = new SearchHit[count * K];
        using (SearchSession session = index.OpenSession())
        {
            switch (test.Type)
            {
                case VectorElementType.Float32:
                    session.SearchMany<float>(MemoryMarshal.Cast<byte, float>(queries), K, hits, [], options);
                    break;
                case VectorElementType.Float16:
                    session.SearchMany<Half>(MemoryMarshal.Cast<byte, Half>(queries), K, hits, [], options);
                    break;
                case VectorElementType.UInt8:
                    session.SearchMany<byte>(queries, K, hits, [], options);
                    break;
                default:
                    session.SearchMany<sbyte>(MemoryMarshal.Cast<byte, sbyte>(queries), K, hits, [], options);
                    break;
            }
        }

        int found = 0;
        double worst = 0;
        for (int row = 0; row < count; row++)
        {
            (ulong[] keys, float last) = test.Nearest(queries.AsSpan(row * test.RowBytes, test.RowBytes), K);
            for (int i = 0; i < K; i++)
            {
                SearchHit hit = hits[(row * K) + i];
                double distance = test.DistanceOf(hit.Score);
                found += keys.Contains(hit.Key) || distance <= last ? 1 : 0;
                if (i == K - 1 && keys[K - 1] == hit.Key)
                    worst = Math.Max(worst, Math.Abs(distance - last) / Math.Max(1, Math.Abs(last)));
            }
        }

        return (found / (double)(count * K), worst);
    }
}
