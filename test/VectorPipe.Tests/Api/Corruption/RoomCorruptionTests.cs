using NUnit.Framework;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Tests.Api.Merged;

namespace VectorPipe.Tests.Api.Corruption;

/// <summary>Damages that only an index with room for later nodes can have are found.</summary>
internal sealed class RoomCorruptionTests
{
    private TestIndex _test = null!;

    [SetUp]
    public void Build() => _test = TestIndex.Build(count: 600, dimension: 128, withRoom: true);

    [TearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public async Task A_manifest_with_another_fill_is_refused_and_found_by_verification([Values(9, 10, 12)] int fill)
    {
        string path = Path.Combine(_test.Directory, IndexDirectory.ManifestName);
        Manifest manifest = ManifestCodec.Read(path, await File.ReadAllBytesAsync(path));
        MergedPageLayout shape = manifest.Schema.Merged!;
        Assert.That(shape.Fill, Is.EqualTo(11));
        IndexSchema damaged = manifest.Schema with { Merged = shape with { Fill = fill }, EntryPoint = 0 };
        await File.WriteAllBytesAsync(path, ManifestCodec.Write(manifest with { Schema = damaged }));
        Assert.That(() => _test.Open(DeviceKind.Memory).Dispose(), Throws.InstanceOf<IndexCorruptException>());
        Assert.That((await VectorIndex.VerifyAsync(_test.Directory)).Defects, Is.Not.Empty);
    }

    [Test]
    public async Task A_link_to_a_free_slot_is_found_by_verification_and_harms_no_search()
    {
        const int page = 3;
        var pages = new MergedPages(_test);
        uint free = (uint)((20 * pages.Layout.NodesPerPage) + pages.Layout.Fill);
        Span<byte> bytes = pages.Bytes.AsSpan((page + 1) * pages.Layout.PageSize, pages.Layout.PageSize);
        bytes[(pages.Layout.LinksOffset + LastListStart(bytes, pages.Layout))..].Clear();
        NodePage.WriteList(bytes, pages.Layout, pages.Layout.Fill - 1, [free]);
        pages.Save(page);
        Assert.That(
            (await VectorIndex.VerifyAsync(_test.Directory)).Defects,
            Has.Count.EqualTo(1).And.Some.Contains($"page {page + 1}:").And.Some.Contains($"free slot of id {free}"));
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        byte[] queries = _test.MakeQueries(20);
        (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(
            session, _test, queries, 10, new SearchOptions { Graph = new GraphSearch { ListSize = _test.Count }, Mode = SearchMode.Beam });
        Assert.That(TypedSearch.Recall(_test, queries, 10, hits, statistics), Is.GreaterThan(0.99));
    }

    private static int LastListStart(ReadOnlySpan<byte> page, NodeLayout layout) =>
        BitConverter.ToUInt16(page[(layout.ListEndsOffset + ((layout.Fill - 2) * 2))..]);
}
