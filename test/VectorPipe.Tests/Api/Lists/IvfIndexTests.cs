using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model.Open;
using VectorPipe.Model.Search;
using VectorPipe.Searching.Requests;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Lists;

/// <summary>An IVF index answers, reports and verifies as a graph does.</summary>
[TestFixture(0)]
[TestFixture(16)]
public sealed class IvfIndexTests
{
    private const int K = 10;
    private const int Queries = 20;
    private readonly int _codeBytes;

    public IvfIndexTests(int codeBytes) => _codeBytes = codeBytes;

    [Test]
    [Spread(2)]
    public void All_lists_hold_the_exact_answer([Values] DistanceMetric metric, [Values] VectorElementType type)
    {
        using TestIndex test = Build(metric, type);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(Queries);
        var hits = new SearchHit[K];
        for (int i = 0; i < Queries; i++)
        {
            byte[] query = queries[(i * test.RowBytes)..((i + 1) * test.RowBytes)];
            (_, float last) = test.Nearest(query, K);
            Assert.That(
                Search(
                    session, test, query, hits,
                    new SearchOptions { Ivf = new IvfSearch { Probes = 1000, Rerank = test.CodeBytes > 0 ? test.Count : null } }).Hits,
                Is.EqualTo(K));

            // float32 against double: a vector as near as the last one counts as found.
            foreach (SearchHit hit in hits)
                Assert.That(test.DistanceOf(hit.Score), Is.LessThanOrEqualTo(last + (1e-4 * Math.Abs(last)) + 1e-5), $"query {i}");
        }
    }

    [Test]
    public void A_search_of_one_short_list_reports_why_it_has_fewer_hits()
    {
        using TestIndex test = TestIndex.BuildLists(count: 400, codeBytes: _codeBytes);
        using VectorIndex index = VectorIndex.Open(test.Directory);
        using SearchSession session = index.OpenSession();
        var options = new SearchOptions { Ivf = new IvfSearch { Probes = 1 } };
        SearchStatistics found = session.Search<byte>(test.MakeQueries(1), 300, new SearchHit[300], options);
        Assert.That(found.Hits, Is.LessThan(300));
        Assert.That((found.EndedBy, found.RecallBasis), Is.EqualTo((SearchEnd.Limit, RecallBasis.Settings)));
    }

    [Test]
    public void More_lists_find_more_and_read_more()
    {
        using TestIndex test = Build();
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        (double recallOfOne, double bytesOfOne) = Measure(1);
        (double recallOfTen, double bytesOfTen) = Measure(10);

        using (Assert.EnterMultipleScope())
        {
            Assert.That(recallOfOne, Is.GreaterThan(0.3));
            Assert.That(recallOfTen, Is.GreaterThan(0.95).And.GreaterThan(recallOfOne));
            Assert.That(bytesOfTen, Is.GreaterThan(bytesOfOne));
        }

        (double Recall, double Bytes) Measure(int probes)
        {
            byte[] queries = test.MakeQueries(Queries);
            var hits = new SearchHit[K];
            double found = 0, bytes = 0;
            for (int i = 0; i < Queries; i++)
            {
                byte[] query = queries[(i * test.RowBytes)..((i + 1) * test.RowBytes)];
                bytes += session.Search<byte>(query, K, hits, new SearchOptions { Ivf = new IvfSearch { Probes = probes } }).BytesRead;
                found += hits.Select(hit => hit.Key).Intersect(test.Nearest(query, K).Keys).Count();
            }

            return (found / (K * Queries), bytes);
        }
    }

    [Test]
    public void Exact_search_goes_through_all_lists()
    {
        using TestIndex test = Build();
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        byte[] query = test.MakeQueries(1);
        var (exact, all) = (new SearchHit[K], new SearchHit[K]);
        session.Search<byte>(query, K, exact, new SearchOptions { Mode = SearchMode.Exact });
        session.Search<byte>(
            query, K, all,
            new SearchOptions
            {
                Ivf = new IvfSearch { Probes = 1000, Rerank = test.CodeBytes > 0 ? test.Count : null },
                Tuning =
            new WalkTuning { BoundFactor = 0.0001f }
            });

        Assert.That(exact, Is.EqualTo(all));
    }

    [Test]
    public void Statistics_count_lists_pages_and_distances()
    {
        using TestIndex test = Build();
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        long before = session.DeviceReads;
        SearchStatistics statistics = session.Search<byte>(
            test.MakeQueries(1), K, new SearchHit[K],
            new SearchOptions { Ivf = new IvfSearch { Probes = 5 }, Tuning = new WalkTuning { BoundFactor = 0.001f } });

        using (Assert.EnterMultipleScope())
        {
            Assert.That(statistics.Hops, Is.EqualTo(5), "lists");
            Assert.That(statistics.Reads, Is.EqualTo(session.DeviceReads - before));
            Assert.That(statistics.BytesRead, Is.GreaterThanOrEqualTo(5 * 4096).And.Matches<long>(bytes => bytes % 4096 == 0));
            Assert.That(statistics.CodeDistances > 0, Is.EqualTo(_codeBytes > 0));
        }
    }

    [Test]
    public void A_trace_has_every_read_and_the_settings()
    {
        using TestIndex test = Build();
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        var trace = new SearchTrace();
        var options = new SearchOptions { Trace = trace, Ivf = new IvfSearch { Probes = 5 } };
        SearchStatistics cost = session.Search<byte>(test.MakeQueries(1), K, new SearchHit[K], options);
        using var stream = new MemoryStream();
        trace.WriteChromeTrace(stream);
        using var document = System.Text.Json.JsonDocument.Parse(stream.ToArray());
        using (Assert.EnterMultipleScope())
        {
            Assert.That(trace.Events.Count(e => e.Kind == SearchTraceKind.Submit), Is.EqualTo(cost.Reads).And.GreaterThan(0));
            Assert.That(trace.Events.Count(e => e.Kind == SearchTraceKind.Complete), Is.InRange(1, cost.Reads));
            Assert.That(document.RootElement.GetProperty("otherData").GetProperty("probes").GetInt32(), Is.EqualTo(5));
        }
    }

    [Test]
    public void Lists_that_cannot_hold_a_result_are_not_read()
    {
        using TestIndex test = Build();
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(Queries);
        var (all, some) = (new SearchHit[K], new SearchHit[K]);
        int passedOver = 0;
        for (int i = 0; i < Queries; i++)
        {
            byte[] query = queries[(i * test.RowBytes)..((i + 1) * test.RowBytes)];
            SearchStatistics everything = session.Search<byte>(
                query, K, all,
                new SearchOptions
                {
                    Ivf = new IvfSearch { Probes = 1000, Rerank = test.CodeBytes > 0 ? test.Count : null },
                    Tuning =
                new WalkTuning { BoundFactor = 0.0001f }
                });
            SearchStatistics bounded = session.Search<byte>(
                query, K, some,
                new SearchOptions
                {
                    Ivf = new IvfSearch { Probes = 1000, Rerank = test.CodeBytes > 0 ? test.Count : null },
                    Tuning =
                new WalkTuning { BoundFactor = 1 }
                });
            passedOver += everything.Hops - bounded.Hops;
            Assert.That(some, Is.EqualTo(all), $"query {i}");
        }

        Assert.That(passedOver, Is.GreaterThan(Queries * 10), "clusters far away need not be read");
    }

    [Test]
    public async Task Awaited_searches_answer_as_sessions_do()
    {
        using TestIndex test = Build();
        using VectorIndex index = test.Open(DeviceKind.Memory, queriesInFlight: 8);
        byte[] queries = test.MakeQueries(Queries);
        var options = new SearchOptions { Ivf = new IvfSearch { Probes = 6 } };
        var hits = new SearchHit[K * Queries];
        using (SearchSession session = index.OpenSession())
            session.SearchMany<byte>(queries, K, hits, [], options);

        SearchResult[] results = await index.SearchBatchAsync<byte>(queries, K, options);
        for (int i = 0; i < Queries; i++)
            Assert.That(results[i], Is.EqualTo(hits[(i * K)..((i + 1) * K)]), $"query {i}");
    }

    [Test]
    public async Task Every_key_leads_to_its_vector()
    {
        ulong[] keys = [.. Enumerable.Range(0, 500).Select(i => (ulong)(i * 977) ^ 0xABCDEF)];
        using TestIndex test = TestIndex.BuildLists(count: 500, lists: 9, codeBytes: _codeBytes, keys: keys);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        for (int row = 0; row < keys.Length; row++)
        {
            VectorRecord? record = await index.GetAsync(keys[row], withLinks: true);
            Assert.That(record, Is.Not.Null);
            Assert.That(record!.GetVector<byte>().ToArray(), Is.EqualTo(test.Rows[(row * test.RowBytes)..((row + 1) * test.RowBytes)]));
        }

        Assert.That(await index.GetAsync(3), Is.Null);
    }

    [Test]
    public async Task Searches_and_look_ups_share_a_thread()
    {
        using TestIndex test = Build();
        using VectorIndex index = test.Open(DeviceKind.Memory, queriesInFlight: 4);
        byte[] queries = test.MakeQueries(Queries);
        var work = new List<Task>();
        for (int i = 0; i < 200; i++)
        {
            work.Add(index.SearchAsync<byte>(queries.AsMemory(i % Queries * test.RowBytes, test.RowBytes), K).AsTask());
            work.Add(index.GetAsync((ulong)i).AsTask());
        }

        await Task.WhenAll(work);
        Assert.That(index.RunThreadReads.Sum(session => session.Pending), Is.Zero);
    }

    [Test]
    public async Task A_sound_index_has_no_defects()
    {
        using TestIndex test = Build();

        Assert.That((await VectorIndex.VerifyAsync(test.Directory)).Defects, Is.Empty);
    }

    [Test]
    public void Info_describes_the_lists()
    {
        using TestIndex test = Build();
        IndexInfo info = VectorIndex.Inspect(test.Directory);

        using (Assert.EnterMultipleScope())
        {
            Assert.That(info.Kind, Is.EqualTo(IndexKind.Ivf));
            Assert.That(info.Lists, Is.InRange(20, 80));
            Assert.That((info.CodedLists, info.CodeBytes), Is.EqualTo((_codeBytes > 0, _codeBytes)));
            Assert.That(info.MemoryBytes, Is.GreaterThanOrEqualTo(info.ListMemoryBytes));
        }
    }

    [Test]
    public void One_vector_is_an_index()
    {
        using TestIndex test = TestIndex.BuildLists(count: 1, lists: 1, codeBytes: _codeBytes);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[1];

        Assert.That(session.Search<byte>(test.Rows, 1, hits).Hits, Is.EqualTo(1));
        Assert.That((hits[0].Key, hits[0].Score), Is.EqualTo((0UL, 0f)));
    }

    [Test]
    public void Equal_vectors_are_divided_and_found()
    {
        byte[] rows = new byte[2000 * 16];
        var folder = new TemporaryFolder();
        using (folder)
        {
            var options = new BuildOptions { Ivf = new IvfBuild { Lists = 20, Coded = _codeBytes > 0 }, Threads = 1 };
            new VectorIndexBuilder(folder.File("index"), options).BuildAsync(VectorSource.FromMemory<byte>(rows, 16)).GetAwaiter()
                .GetResult();
            using VectorIndex index =
                VectorIndex.Open(folder.File("index"), new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory } });
            using SearchSession session = index.OpenSession();
            var hits = new SearchHit[100];
            session.Search<byte>(new byte[16], 100, hits, new SearchOptions { Ivf = new IvfSearch { Probes = 1000 } });
            Assert.That(hits.Select(hit => hit.Key), Is.Unique);
        }
    }

    private TestIndex Build(DistanceMetric metric = DistanceMetric.L2, VectorElementType type = VectorElementType.UInt8) =>
        TestIndex.BuildLists(metric, type, codeBytes: _codeBytes);

    private static SearchStatistics Search(SearchSession session, TestIndex test, byte[] query, SearchHit[] hits, SearchOptions options) =>
        test.Type switch
        {
            VectorElementType.Float32 =>
                session.Search<float>(System.Runtime.InteropServices.MemoryMarshal.Cast<byte, float>(query), K, hits, options),
            VectorElementType.Float16 =>
            session.Search<Half>(System.Runtime.InteropServices.MemoryMarshal.Cast<byte, Half>(query), K, hits, options),
            VectorElementType.UInt8 => session.Search<byte>(query, K, hits, options),
            _ => session.Search<sbyte>(System.Runtime.InteropServices.MemoryMarshal.Cast<byte, sbyte>(query), K, hits, options),
        };
}
