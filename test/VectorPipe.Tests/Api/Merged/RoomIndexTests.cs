using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Merged;

/// <summary>An index with room for later nodes answers as one without, and its free slots are no vectors.</summary>
[TestFixture(DistanceMetric.Cosine, VectorElementType.UInt8, 32, 1200)]
[TestFixture(DistanceMetric.L2, VectorElementType.Float32, 96, 1200)]
[TestFixture(DistanceMetric.L2, VectorElementType.UInt8, 128, 2500, Category = "Heavy")]
[TestFixture(DistanceMetric.Cosine, VectorElementType.UInt8, 32, 2500, Category = "Heavy")]
[TestFixture(DistanceMetric.L2, VectorElementType.Float32, 96, 2500, Category = "Heavy")]
[TestFixture(DistanceMetric.Cosine, VectorElementType.Float32, 384, 2500, Category = "Heavy")]
internal sealed class RoomIndexTests(DistanceMetric metric, VectorElementType type, int dimension, int count)
{
    private const int K = 10;
    private const int Queries = 60;

    private TestIndex _test = null!;
    private TestIndex _full = null!;
    private byte[] _queries = [];

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(metric, type, count, dimension, withRoom: true);
        _full = TestIndex.Build(metric, type, count, dimension);
        _queries = _test.MakeQueries(Queries);
    }

    [OneTimeTearDown]
    public void Delete()
    {
        _test.Dispose();
        _full.Dispose();
    }

    [Test]
    public async Task Every_page_verifies() => Assert.That((await VectorIndex.VerifyAsync(_test.Directory)).Defects, Is.Empty);

    [Test]
    public void Every_key_leads_to_its_vector()
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        Assert.That(TypedSearch.GetAll(session, _test).AsSpan().SequenceEqual(_test.Rows), Is.True);
    }

    [Test]
    public void Recall_and_reads_are_those_of_an_index_without_room()
    {
        // A page holds fewer vectors, so a search reads up to a third more of them.
        (double recall, double reads) = Measure(_test, new SearchOptions { Graph = new GraphSearch { ListSize = 60 } });
        (double full, double fullReads) = Measure(_full, new SearchOptions { Graph = new GraphSearch { ListSize = 60 } });
        TestContext.Out.WriteLine($"recall {recall:F4} with room, {full:F4} without; reads {reads:F1} and {fullReads:F1}");
        Assert.That(recall, Is.GreaterThan(full - 0.01));
        Assert.That(reads, Is.LessThan(1.5 * fullReads));
    }

    [Test]
    public void An_exact_search_and_a_list_of_all_find_the_true_neighbours()
    {
        SearchOptions all = new() { Graph = new GraphSearch { ListSize = _test.Count }, Mode = SearchMode.Beam };
        bool isRounded = IndexDirectory.ReadManifest(_test.Directory).Schema.IsRounded;
        Assert.That(Measure(_test, new SearchOptions { Mode = SearchMode.Exact }).Recall, Is.EqualTo(1.0));
        Assert.That(Measure(_test, all).Recall, Is.EqualTo(1.0).Within(isRounded ? 0.01 : 0));
    }

    [Test]
    [Spread(2)]
    public void A_static_cache_and_an_adaptive_one_change_no_answer([Values] CachePolicy policy)
    {
        SearchOptions options = new() { Graph = new GraphSearch { ListSize = 60 }, Mode = SearchMode.Beam };
        using VectorIndex plain = _test.Open(DeviceKind.Memory);
        using VectorIndex cached = VectorIndex.Open(
            _test.Directory,
            new OpenOptions
            {
                Device = new DeviceOptions { Kind = DeviceKind.Memory },
                CachePolicy = policy,
                CacheBytes = 1 << 18,
                ExactUpTo = 0,
                SearchThreads = 1,
            });
        using SearchSession one = plain.OpenSession(), other = cached.OpenSession();
        SearchHit[] hits = TypedSearch.Search(other, _test, _queries, K, options).Hits;
        Assert.That(hits, Is.EqualTo(TypedSearch.Search(one, _test, _queries, K, options).Hits));
    }

    [Test]
    public void Pages_hold_a_part_of_their_nodes_and_free_slots_hold_nothing()
    {
        var pages = new MergedPages(_test);
        MergedPageLayout shape = pages.Schema.Merged!;
        Assert.That(shape.Fill, Is.LessThan(shape.Owned));
        Assert.That(pages.Schema.IdCount, Is.GreaterThan(_test.Count));
        for (int page = 0; page < pages.Count; page++)
        {
            Assert.That(pages.Nodes(page), Is.EqualTo(Math.Min(shape.Fill, _test.Count - (page * shape.Fill))), $"page {page}");
            ReadOnlySpan<byte> bytes = pages.Bytes.AsSpan((page + 1) * pages.Layout.PageSize, pages.Layout.PageSize);
            int end = ListEnd(bytes, pages.Layout, pages.Nodes(page) - 1);
            for (int slot = pages.Nodes(page); slot < shape.Owned; slot++)
            {
                Assert.That(bytes[pages.Layout.StateOffset + slot], Is.EqualTo((byte)NodeState.Free), $"state, page {page}, slot {slot}");
                Assert.That(pages.Key(page, slot), Is.Zero, $"key, page {page}, slot {slot}");
                Assert.That(pages.Vector(page, slot).ContainsAnyExcept((byte)0), Is.False, $"vector, page {page}, slot {slot}");
                Assert.That(pages.Links(page, slot), Is.Empty, $"links, page {page}, slot {slot}");
                Assert.That(ListEnd(bytes, pages.Layout, slot), Is.EqualTo(end), $"end of the list, page {page}, slot {slot}");
            }

            Assert.That(pages.Ids(page).All(id => shape.IsFilled(id)), Is.True, $"ids and replicas, page {page}");
        }
    }

    [Test]
    public async Task An_export_numbers_rows_without_gaps()
    {
        using var folder = new TemporaryFolder();
        IReadOnlyList<string> files = await new IndexExporter(_test.Directory).ExportAsync(folder.File("out"));
        byte[] rows = (await File.ReadAllBytesAsync(files[0]))[8..], keys = (await File.ReadAllBytesAsync(files[1]))[^(_test.Count * 8)..];
        Assert.That(rows, Has.Length.EqualTo(_test.Rows.Length));
        for (int row = 0; row < _test.Count; row++)
        {
            int key = (int)BinaryPrimitives.ReadUInt64LittleEndian(keys.AsSpan(row * 8));
            Assert.That(
                rows.AsSpan(row * _test.RowBytes, _test.RowBytes).SequenceEqual(_test.Rows.AsSpan(key * _test.RowBytes, _test.RowBytes)),
                Is.True, $"row {row}");
        }

        AssertGraph(await File.ReadAllBytesAsync(files[2]), keys);
    }

    private static int ListEnd(ReadOnlySpan<byte> page, NodeLayout layout, int slot) =>
        BinaryPrimitives.ReadUInt16LittleEndian(page[(layout.ListEndsOffset + (slot * 2))..]);

    // The links of each node, by key.
    private void AssertGraph(byte[] graph, byte[] keys)
    {
        MergedPageLayout shape = IndexDirectory.ReadManifest(_test.Directory).Schema.Merged!;
        var pages = new MergedPages(_test);
        int at = 24;
        for (int row = 0; row < _test.Count; row++)
        {
            uint[] links = pages.Links(row / shape.Fill, row % shape.Fill);
            Assert.That(BitConverter.ToUInt32(graph, at), Is.EqualTo((uint)links.Length), $"degree of row {row}");
            at += 4;
            foreach (uint link in links)
            {
                uint target = BitConverter.ToUInt32(graph, at);
                ulong key = pages.Key((int)(link / shape.Owned), (int)(link % shape.Owned));
                Assert.That(BinaryPrimitives.ReadUInt64LittleEndian(keys.AsSpan((int)target * 8)), Is.EqualTo(key), $"link of row {row}");
                at += 4;
            }
        }

        Assert.That(at, Is.EqualTo(graph.Length));
    }

    private (double Recall, double Reads) Measure(TestIndex test, SearchOptions options)
    {
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(session, test, _queries, K, options);
        return (TypedSearch.Recall(test, _queries, K, hits, statistics), statistics.Average(query => query.Reads));
    }
}
